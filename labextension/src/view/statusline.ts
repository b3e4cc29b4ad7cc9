// One line that says what is hot. Screen readers hear it.

import { describe } from '../model/describe';
import { sameItem } from '../model/selection';
import { h } from './dom';
import type { Highlight } from './highlight';

export class StatusLine {
  readonly el = h('output', { class: 'jx-status', 'aria-live': 'polite' });

  constructor(private readonly highlight: Highlight, private readonly isOpen: (pane: number) => boolean) {
    this.paint();
  }

  paint(): void {
    const spoken = this.highlight.spoken;
    if (!spoken) {
      const key = (k: string, does: string) => h('span', { class: 'jx-key' }, h('kbd', {}, k), ` ${does}`);
      this.el.replaceChildren(h('span', { class: 'jx-idle' }, 'Point at anything to see its counterparts; click to pin.', key('Tab', 'next pane'), key('↑↓', 'move'), key('Enter', 'pin'), key('/', 'find')));
      return;
    }
    const [item, lighting] = spoken;
    const d = describe(this.highlight.model, item, lighting, this.isOpen);
    const pinned = sameItem(item, this.highlight.pin);
    this.el.replaceChildren(
      pinned ? h('span', { class: 'jx-tag' }, 'pinned') : '',
      h('strong', {}, d.label), ...d.details.map(t => h('span', {}, t)), ...d.fates.map(t => h('span', { class: 'jx-fate' }, t)));
  }
}
