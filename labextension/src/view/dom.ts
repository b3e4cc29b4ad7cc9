// Building elements. Text only ever enters as text nodes or attributes: there is no way to pass markup.

export type Child = Node | string | null | undefined | false;
export type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function apply(el: Element, props: Props, children: Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') el.addEventListener(name, value as EventListener);
    else if (value !== null && value !== undefined && value !== false) el.setAttribute(name, value === true ? '' : String(value));
  }
  for (const c of children) if (c || c === '') el.append(c);
}

/** An HTML element. A function under a name listens to the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  apply(el, props, children);
  return el;
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const el = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(el, props, children);
  return el;
}

/** A line icon of 16 units, drawn with the text's colour. */
export function icon(path: string): SVGSVGElement {
  return svg('svg', { class: 'jx-icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: path }));
}

/** A button with an icon and a name that is spoken and shown as a tip. One with a key of its own is left out of the Tab order. */
export function iconButton(label: string, path: string, click: () => void, key?: string): HTMLButtonElement {
  return h('button', {
    type: 'button', class: 'jx-tool', 'aria-label': label, title: key ? `${label} (${key})` : label, 'aria-keyshortcuts': key, tabindex: key && -1, click
  }, icon(path));
}

/** Shows for a moment that a button did its work. */
export function confirm(button: HTMLButtonElement, path: string): void {
  button.replaceChildren(icon(ICONS.done));
  setTimeout(() => button.replaceChildren(icon(path)), 1200);
}

export const ICONS = {
  find: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  done: 'M3 8.5l3.2 3.2L13 4.5',
  link: 'M6.5 9.5l3-3M7 4.8l1.6-1.6a3 3 0 0 1 4.2 4.2L11.2 9M9 11.2l-1.6 1.6a3 3 0 0 1-4.2-4.2L4.8 7',
  solo: 'M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  up: 'M3.5 10L8 5.5l4.5 4.5',
  down: 'M3.5 6L8 10.5L12.5 6',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M5.5 5.5h5v5h-5z',
  list: 'M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5'
};

/** Puts text on the clipboard; the older way serves frames that may not use the newer one. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { style: 'position:fixed;opacity:0' });
    area.value = text;
    const before = document.activeElement as HTMLElement | null;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    before?.focus?.({ preventScroll: true });
    return done;
  }
}
