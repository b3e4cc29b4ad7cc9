// A focused pane keeps plain keys from JupyterLab, which takes no heed of modifiers: this lets Ctrl+S and the like through.

const SUPPRESS = 'data-lm-suppress-shortcuts';
/** Editing keys that belong to the browser: copy, cut, paste, select all, undo. */
const EDITING = new Set(['a', 'c', 'v', 'x', 'z']);

/** Lifts the mark for the length of one key event. JupyterLab listens at the document, so this is done at the window before. */
export function passModifiedKeys(): void {
  window.addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || (!event.shiftKey && EDITING.has(event.key))) return;
    const pane = (event.target as Element | null)?.closest?.(`.jaxnb [${SUPPRESS}]`);
    if (!pane) return;
    pane.removeAttribute(SUPPRESS);
    setTimeout(() => pane.setAttribute(SUPPRESS, 'true'));
  }, true);
}
