// Puts the style sheet where an element is: the document, or the shadow root that some hosts put widgets in.

const MARK = 'data-jaxnb-style';

export function ensureStyle(el: Element, css: string): void {
  const root = el.getRootNode();
  const home = root instanceof ShadowRoot ? root : document.head;
  if (home.querySelector(`style[${MARK}]`)) return;
  const style = document.createElement('style');
  style.setAttribute(MARK, '');
  style.textContent = css;
  home.append(style);
}
