// Two programs side by side, aligned; only the rows in view are in the page. Long runs that were kept are folded.

import { DiffEntry, diffEntries, entryOf } from '../layout/diffrows';
import { rowWindow, scrollFor } from '../layout/window';
import type { Panel } from '../model/panel';
import type { RawDiff } from '../model/schema';
import { h } from './dom';
import type { Highlight } from './highlight';
import { codeLine, ItemsView, prose } from './itemsview';

const ROW_HEIGHT = 18;
const SIGNS = [' ', '~', '+', '−'];
const MARKS = ['kept', 'changed', 'added', 'removed'];
/** Characters of a line that are drawn; the whole of it is in its tip. */
const DRAWN = 400;

export class DiffView extends ItemsView {
  readonly el: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly sheet = h('div', { class: 'jx-sheet', role: 'presentation' });
  private readonly opened = new Set<number>();
  private readonly drawn = new Map<number, HTMLElement>();
  private entries: DiffEntry[] = [];
  private height = 0;

  constructor(highlight: Highlight, pane: number, panel: Panel, private readonly raw: RawDiff) {
    super(highlight, pane, panel);
    const head = h('div', { class: 'jx-dhead' }, h('span', { class: 'jx-sign' }), h('span', {}, raw.left), h('span', {}, raw.right));
    this.scroller = this.box(raw.title, head, this.sheet, raw.note ? h('p', { class: 'jx-foot' }, ...prose(raw.note)) : null);
    this.scroller.classList.add('jx-diff');
    this.scroller.addEventListener('scroll', () => this.draw());
    this.scroller.addEventListener('click', e => this.unfold(e.target));
    this.el = h('div', { class: 'jx-body' }, this.scroller);
    this.fold();
  }

  override resized(): void {
    this.height = this.scroller.clientHeight;
    this.draw();
  }

  protected repaint(): void {
    for (const [at, el] of this.drawn) {
      const entry = this.entries[at];
      if ('row' in entry) this.mark(el, entry.row);
    }
  }

  protected reveal(item: number): void {
    let at = entryOf(this.entries, item);
    const entry = this.entries[at];
    if ('from' in entry) {
      this.opened.add(entry.from);
      this.fold();
      at = entryOf(this.entries, item);
    }
    const top = scrollFor(at, this.scroller.scrollTop, this.height - ROW_HEIGHT, ROW_HEIGHT, this.entries.length);
    if (top !== this.scroller.scrollTop) this.scroller.scrollTop = top;
    this.draw();
  }

  private fold(): void {
    this.entries = diffEntries(this.raw.rows.map(r => r[0]), this.opened);
    this.drawn.clear();
    this.sheet.replaceChildren();
    this.sheet.style.height = `${this.entries.length * ROW_HEIGHT}px`;
    this.draw();
  }

  private unfold(target: EventTarget | null): void {
    const from = (target as Element | null)?.closest<HTMLElement>('[data-fold]')?.dataset.fold;
    if (from === undefined) return;
    this.opened.add(Number(from));
    this.fold();
  }

  private draw(): void {
    const [first, last] = rowWindow(this.scroller.scrollTop, this.height, ROW_HEIGHT, this.entries.length);
    for (const [at, el] of this.drawn) {
      if (at < first || at >= last) {
        el.remove();
        this.drawn.delete(at);
      }
    }
    for (let at = first; at < last; at++) {
      if (this.drawn.has(at)) continue;
      const el = this.row(this.entries[at], at);
      this.drawn.set(at, el);
      this.sheet.append(el);
    }
    this.repaint();
  }

  private row(entry: DiffEntry, at: number): HTMLElement {
    const style = `top:${at * ROW_HEIGHT}px`;
    if ('from' in entry) {
      return h('button', { type: 'button', class: 'jx-drow jx-fold', style, 'data-fold': entry.from, tabindex: -1 }, `… ${entry.to - entry.from} kept`);
    }
    const [mark, depth, left, right, set, why] = this.raw.rows[entry.row];
    return h('div', {
      class: `jx-drow jx-d-${MARKS[mark]}${set >= 0 ? ' jx-linked' : ''}`, style, 'data-item': entry.row,
      title: [left, right !== left && right, why].filter(Boolean).join('\n')
    }, h('span', { class: 'jx-sign', 'aria-label': MARKS[mark] }, SIGNS[mark]), this.half(left, depth), this.half(right, depth));
  }

  private half(text: string | null, depth: number): HTMLElement {
    return h('span', { class: 'jx-half', style: `--jx-depth:${depth}` }, ...(text === null ? [] : codeLine(this.raw.language, text.slice(0, DRAWN))));
  }
}
