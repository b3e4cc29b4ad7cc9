// What all panels have in common on screen: items that light, are found and are stepped through.

import { plural } from '../model/format';
import type { Panel } from '../model/panel';
import type { Language } from '../model/schema';
import { contains } from '../model/search';
import { nextToken } from '../model/tokens';
import type { Content, FindResult } from './content';
import { h } from './dom';
import { Highlight, showState } from './highlight';

/** A list of items; how they are drawn is the subclass's. */
export abstract class ItemsView implements Content {
  abstract readonly el: HTMLElement;
  readonly size: string;
  protected found: number[] = [];
  protected match = -1;
  protected lit: number[] = [];
  private stepped = -1;

  constructor(protected readonly highlight: Highlight, protected readonly pane: number, protected readonly panel: Panel) {
    this.size = panel.size;
  }

  /** Shows the state of the items that are drawn. */
  protected abstract repaint(): void;
  /** Brings an item into view. */
  protected abstract reveal(item: number): void;

  protected stateOf(item: number): number {
    return this.highlight.stateOf(this.pane, 'item', item, this.panel.set[item]);
  }

  protected mark(el: Element, item: number): void {
    showState(el, this.stateOf(item));
    const at = this.found.indexOf(item);
    el.classList.toggle('jx-f1', at >= 0);
    el.classList.toggle('jx-f2', at >= 0 && at === this.match);
  }

  protected pointed(target: EventTarget | null, pin: boolean): void {
    const el = (target as Element | null)?.closest<HTMLElement>('[data-item]');
    const item = el && this.panel.set[Number(el.dataset.item)] >= 0 ? { pane: this.pane, kind: 'item' as const, index: Number(el.dataset.item) } : null;
    if (!pin) this.highlight.setHover(item);
    else if (item && getSelection()?.isCollapsed !== false) this.highlight.togglePin(item);
  }

  paint(): void {
    const { lighting } = this.highlight;
    const { set, count } = this.panel;
    this.lit = [];
    if (lighting && lighting.origin !== this.pane) {
      for (let i = 0; i < count; i++) if (set[i] >= 0 && lighting.sets[set[i]]) this.lit.push(i);
    }
    this.repaint();
  }

  hits(): string {
    return this.lit.length ? plural(this.lit.length, this.panel.raw.kind === 'cards' ? 'card' : 'row') : '';
  }

  stepHit(step: 1 | -1): void {
    const n = this.lit.length;
    if (!n) return;
    this.stepped = (this.stepped + step + n) % n;
    this.reveal(this.lit[this.stepped]);
  }

  revealLit(): void {
    this.stepped = 0;
    if (this.lit.length) this.reveal(this.lit[0]);
  }

  find(query: string): FindResult {
    this.found = [];
    if (query) for (let i = 0; i < this.panel.count; i++) if (contains(this.panel.textOf(i), query)) this.found.push(i);
    this.match = this.found.length ? 0 : -1;
    return this.showMatch();
  }

  stepFind(step: 1 | -1): FindResult {
    const n = this.found.length;
    if (n) this.match = (this.match + step + n) % n;
    return this.showMatch();
  }

  private showMatch(): FindResult {
    if (this.match >= 0) this.reveal(this.found[this.match]);
    this.repaint();
    return { count: this.found.length, current: this.match + 1, more: false };
  }

  textToCopy(): string {
    return this.panel.text;
  }

  resized(): void {
    // a page lays tables and cards out by itself
  }

  focus(): void {
    this.el.querySelector<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
  }

  place(): unknown {
    const box = this.el.querySelector('.jx-scroll');
    return box && [box.scrollTop, box.scrollLeft];
  }

  restore(place: unknown): void {
    if (Array.isArray(place)) this.el.querySelector('.jx-scroll')?.scrollTo(place[1], place[0]);
  }

  dispose(): void {
    this.found = [];
  }

  /** The box that scrolls, with pointer and keyboard. */
  protected box(label: string, ...children: (Node | null)[]): HTMLElement {
    return h('div', {
      class: 'jx-scroll jx-panel', tabindex: 0, role: 'group', 'aria-label': label, 'data-lm-suppress-shortcuts': 'true',
      mousemove: (e: MouseEvent) => this.pointed(e.target, false),
      mouseleave: () => this.highlight.setHover(null),
      click: (e: MouseEvent) => { if (!(e.target as Element).closest('button')) this.pointed(e.target, true); },
      keydown: (e: KeyboardEvent) => this.key(e)
    }, ...children);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || (e.key !== 'n' && e.key !== 'p')) return;
    this.stepHit(e.key === 'n' ? 1 : -1);
    e.preventDefault();
    e.stopPropagation();
  }
}

/** A line of code, coloured. */
export function codeLine(language: Language, line: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  for (let pos = 0; pos < line.length;) {
    const [end, token] = nextToken(language, line, pos, '');
    const text = line.slice(pos, end);
    parts.push(token ? h('span', { class: `jx-k${token}` }, text) : text);
    pos = end;
  }
  return parts;
}

/** Sentences, with what stands between backticks as code. */
export function prose(text: string): (Node | string)[] {
  return text.split('`').map((part, i) => (i % 2 ? h('code', {}, part) : part));
}
