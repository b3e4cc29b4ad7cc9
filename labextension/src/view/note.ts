// What is shown when there is no model: a reason, and the plain summary that every output carries.

import { h } from './dom';

/** Replaces the element's content with a note. */
export function showNote(el: HTMLElement, ...lines: string[]): void {
  el.replaceChildren(h('div', { class: 'jaxnb' }, h('div', { class: 'jx-note', role: 'note' }, lines.filter(Boolean).join('\n\n'))));
}

/** Message of anything thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
