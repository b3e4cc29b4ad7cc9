// A text document on screen: only the rows in view are in the page, so length costs nothing.

import { rulerMarks, lineNear, neighbourHit } from '../layout/ruler';
import { rowPieces, RowMark } from '../layout/segments';
import { rowWindow, scrollFor, scrollLeftFor } from '../layout/window';
import type { TextDocument } from '../model/document';
import { plural } from '../model/format';
import { firstMatchFrom, Matches, NO_MATCHES, search } from '../model/search';
import type { Item } from '../model/selection';
import { LineState, Token, tokenizeLine } from '../model/tokens';
import type { Content, FindResult } from './content';
import { h } from './dom';
import { Highlight, showState } from './highlight';

export const ROW_HEIGHT = 18;
/** Columns of a line that are drawn; the rest is counted, and copied whole. */
const DRAWN_COLUMNS = 2500;

type Tagged = HTMLElement & { jxSpan?: number; jxLine?: number };

interface Row {
  el: Tagged;
  items: Tagged[];
}

let serial = 0;

export class TextView implements Content {
  readonly el: HTMLElement;
  readonly size: string;
  private readonly scroller: HTMLElement;
  private readonly sheet: HTMLElement;
  private readonly ruler: HTMLElement;
  private readonly id = `jx-t${++serial}`;
  private readonly rows = new Map<number, Row>();
  private readonly states: LineState[] = [''];
  private matches: Matches = NO_MATCHES;
  private match = -1;
  private litLines: Int32Array = new Int32Array(0);
  private litFor: unknown;
  private pointer = '';
  private charWidth = 0;
  private gutter: number;
  /** Size last seen, so that reading it never forces a layout. */
  private height = 0;

  /** `nodes` maps spans to graph nodes where the text lists a graph; such a text lights as the graph does. */
  constructor(private readonly highlight: Highlight, private readonly pane: number, private readonly doc: TextDocument,
    private readonly nodes?: Int32Array) {
    this.size = plural(doc.lineCount, 'line');
    this.gutter = String(doc.numberOf(doc.lineCount - 1)).length + 3;
    const columns = Math.min(doc.maxColumns, DRAWN_COLUMNS + 30) + this.gutter + 2;
    this.sheet = h('div', { class: 'jx-sheet', role: 'presentation', style: `height:${doc.lineCount * ROW_HEIGHT}px;min-width:max(100%,${columns}ch)` });
    this.scroller = h('div', {
      class: 'jx-scroll', tabindex: 0, role: 'listbox', 'aria-label': `${doc.title}, ${this.size}`, 'data-lm-suppress-shortcuts': 'true',
      style: `--jx-gutter:${this.gutter}ch`,
      scroll: () => this.draw(),
      mousemove: (e: MouseEvent) => this.pointAt(e),
      mouseleave: () => this.highlight.setHover(null),
      click: (e: MouseEvent) => this.clicked(e),
      keydown: (e: KeyboardEvent) => this.key(e)
    }, this.sheet);
    this.ruler = h('div', { class: 'jx-ruler', 'aria-hidden': 'true', click: (e: MouseEvent) => this.rulerClicked(e) });
    this.el = h('div', { class: 'jx-body' }, this.scroller, this.ruler);
  }

  resized(): void {
    this.height = this.scroller.clientHeight;
    this.draw();
    this.drawRuler();
  }

  paint(): void {
    this.findLit();
    for (const row of this.rows.values()) this.paintRow(row);
    this.drawRuler();
  }

  hits(): string {
    return this.litLines.length ? plural(this.litLines.length, 'line') : '';
  }

  stepHit(step: 1 | -1): void {
    const from = Math.floor((this.scroller.scrollTop + this.height / 3) / ROW_HEIGHT);
    const line = neighbourHit(this.litLines, this.stepped ?? from - step, step);
    if (line >= 0) {
      this.stepped = line;
      this.scrollTo(line, true);
    }
  }
  /** Hit last stepped to, until the lighting changes. */
  private stepped: number | undefined;

  revealLit(): void {
    this.findLit();
    if (this.litLines.length) this.scrollTo(this.litLines[0], true);
    else if (this.highlight.pin?.pane === this.pane && !this.nodes) this.scrollTo(this.lineOfItem(this.highlight.pin), true);
  }

  find(query: string): FindResult {
    this.matches = search(this.doc, query);
    const top = Math.min(this.doc.lineCount - 1, Math.floor(this.scroller.scrollTop / ROW_HEIGHT));
    this.match = firstMatchFrom(this.matches, this.doc.lineStart(top));
    if (this.match >= this.matches.at.length) this.match = this.matches.at.length ? 0 : -1;
    this.redraw();
    this.revealMatch();
    return this.found();
  }

  stepFind(step: 1 | -1): FindResult {
    const n = this.matches.at.length;
    if (n) this.match = (this.match + step + n) % n;
    this.redraw();
    this.revealMatch();
    return this.found();
  }

  textToCopy(): string {
    return this.doc.text;
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  place(): unknown {
    return [this.scroller.scrollTop, this.scroller.scrollLeft];
  }

  restore(place: unknown): void {
    if (Array.isArray(place)) this.scroller.scrollTo(place[1], place[0]);
  }

  dispose(): void {
    this.rows.clear();
  }

  // ---- rows

  private draw(): void {
    const [first, last] = rowWindow(this.scroller.scrollTop, this.height, ROW_HEIGHT, this.doc.lineCount);
    for (const [line, row] of this.rows) {
      if (line < first || line >= last) {
        row.el.remove();
        this.rows.delete(line);
      }
    }
    const fresh = document.createDocumentFragment();
    for (let line = first; line < last; line++) {
      if (this.rows.has(line)) continue;
      const row = this.drawRow(line);
      this.rows.set(line, row);
      this.paintRow(row);
      fresh.append(row.el);
    }
    this.sheet.append(fresh);
  }

  private redraw(): void {
    this.sheet.replaceChildren();
    this.rows.clear();
    this.draw();
    this.drawRuler();
  }

  private drawRow(line: number): Row {
    const full = this.doc.lineText(line);
    const text = full.length > DRAWN_COLUMNS ? full.slice(0, DRAWN_COLUMNS) : full;
    const [from, to] = this.doc.spansOn(line);
    const code = h('span', { class: 'jx-code' });
    const items: Tagged[] = [];
    const open: HTMLElement[] = [code];
    const spans = { col0: this.doc.col0, col1: this.doc.col1, from, to };
    for (const piece of rowPieces(text.length, spans, this.tokens(line, text), this.marksOn(line))) {
      const parent = open[open.length - 1];
      if ('open' in piece) {
        const el: Tagged = h('span', { class: 'jx-i' });
        el.jxSpan = piece.open;
        items.push(el);
        parent.append(el);
        open.push(el);
      } else if ('close' in piece) open.pop();
      else {
        const part = text.slice(piece.from, piece.to);
        const cls = (piece.token && `jx-k${piece.token}`) + (piece.mark ? ` jx-f${piece.mark}` : '');
        parent.append(cls ? h('span', { class: cls }, part) : part);
      }
    }
    if (full.length > text.length) code.append(h('span', { class: 'jx-cut' }, ` … ${plural(full.length - text.length, 'more character')}`));
    const el: Tagged = h('div', {
      class: 'jx-row', role: 'option', id: `${this.id}-${line}`, 'data-line': line, 'aria-posinset': line + 1, 'aria-setsize': this.doc.lineCount,
      style: `top:${line * ROW_HEIGHT}px`
    }, h('span', { class: 'jx-ln', 'aria-hidden': 'true' }, String(this.doc.numberOf(line))), code);
    el.jxLine = line;
    return { el, items };
  }

  private paintRow(row: Row): void {
    const line = row.el.jxLine!;
    const s = this.highlight;
    let bits = this.nodes ? 0 : s.stateOf(this.pane, 'line', line, -1);
    for (const el of row.items) {
      const state = this.stateOfSpan(el.jxSpan!);
      showState(el, state);
      bits |= state;
    }
    showState(row.el, bits);
    row.el.setAttribute('aria-selected', String(!!(bits & 4)));
  }

  private stateOfSpan(span: number): number {
    const set = this.doc.set[span];
    return this.nodes
      ? this.highlight.stateOf(this.pane, 'node', this.nodes[span], set)
      : this.highlight.stateOf(this.pane, 'span', span, set);
  }

  private tokens(line: number, text: string): (number | Token)[] {
    const { language } = this.doc;
    if (language !== 'python') return tokenizeLine(language, text, '').tokens;
    for (let i = this.states.length; i <= line; i++) {
      this.states[i] = tokenizeLine(language, this.doc.lineText(i - 1), this.states[i - 1]).state;
    }
    return tokenizeLine(language, text, this.states[line]).tokens;
  }

  private marksOn(line: number): RowMark[] {
    const { at, length } = this.matches;
    const start = this.doc.lineStart(line);
    const end = start + this.doc.lineText(line).length;
    const marks: RowMark[] = [];
    for (let i = firstMatchFrom(this.matches, start); i < at.length && at[i] < end; i++) {
      marks.push({ from: at[i] - start, to: at[i] - start + length, kind: i === this.match ? 2 : 1 });
    }
    return marks;
  }

  // ---- lit lines and the ruler

  private findLit(): void {
    const { lighting } = this.highlight;
    if (this.litFor === lighting) return;
    this.litFor = lighting;
    this.stepped = undefined;
    const lines: number[] = [];
    if (lighting && !this.nodes) {
      for (const span of lighting.hits[this.pane]) {
        if (lines[lines.length - 1] !== this.doc.line[span]) lines.push(this.doc.line[span]);
      }
    } else if (lighting && lighting.origin !== this.pane) {
      for (let i = 0; i < this.doc.set.length; i++) if (lighting.sets[this.doc.set[i]]) lines.push(this.doc.line[i]);
    }
    this.litLines = Int32Array.from(lines);
  }

  private drawRuler(): void {
    const marks = document.createDocumentFragment();
    const add = (lines: Int32Array, cls: string) => {
      for (const m of rulerMarks(lines, this.doc.lineCount, this.height, ROW_HEIGHT)) {
        marks.append(h('i', { class: cls, style: `top:${m.y}px;height:${m.height}px` }));
      }
    };
    add(this.litLines, 'jx-m-lit');
    add(this.matches.lines, 'jx-m-find');
    const subject = this.highlight.subject;
    if (subject?.pane === this.pane && !this.nodes) add(Int32Array.of(this.lineOfItem(subject)), 'jx-m-hot');
    this.ruler.replaceChildren(marks);
    this.ruler.classList.toggle('jx-some', this.litLines.length + this.matches.lines.length > 0);
  }

  private rulerClicked(e: MouseEvent): void {
    const y = e.clientY - this.ruler.getBoundingClientRect().top;
    const lines = this.litLines.length ? this.litLines : this.matches.lines;
    const near = lineNear(lines, y, this.doc.lineCount, this.height, ROW_HEIGHT);
    const line = near >= 0 ? near : Math.floor((y / this.height) * this.doc.lineCount);
    this.scrollTo(line, true);
    this.focus();
  }

  private revealMatch(): void {
    if (this.match < 0) return;
    const at = this.matches.at[this.match];
    const line = this.doc.lineAt(at);
    this.scrollTo(line);
    const col = at - this.doc.lineStart(line);
    this.scrollAcross(col, col + this.matches.length);
  }

  /** Scrolls sideways so that columns are seen beside the line numbers, which stay. */
  private scrollAcross(from: number, to: number): void {
    const { scroller } = this;
    const width = this.measure();
    const left = scrollLeftFor(from * width, to * width, scroller.scrollLeft, scroller.clientWidth - this.gutter * width);
    if (left !== scroller.scrollLeft) scroller.scrollLeft = left;
  }

  private measure(): number {
    if (!this.charWidth) {
      const probe = h('span', { class: 'jx-probe' }, '0'.repeat(100));
      this.scroller.append(probe);
      this.charWidth = probe.getBoundingClientRect().width / 100 || 7;
      probe.remove();
    }
    return this.charWidth;
  }

  private found(): FindResult {
    return { count: this.matches.at.length, current: this.match + 1, more: this.matches.more };
  }

  /** Scrolls to a line; with `across`, also sideways to its first lit span when that begins out of view. */
  private scrollTo(line: number, across = false): void {
    const { scroller } = this;
    const top = scrollFor(line, scroller.scrollTop, this.height, ROW_HEIGHT, this.doc.lineCount);
    if (top !== scroller.scrollTop) scroller.scrollTop = top;
    if (across) {
      const [from, to] = this.doc.spansOn(line);
      let span = from;
      while (span < to && !this.stateOfSpan(span)) span++;
      if (span < to) this.scrollAcross(this.doc.col0[span], this.doc.col1[span]);
    }
    this.draw();
  }

  // ---- pointing

  private itemOfSpan(span: number): Item {
    return this.nodes ? { pane: this.pane, kind: 'node', index: this.nodes[span] } : { pane: this.pane, kind: 'span', index: span };
  }

  /** A line is one span where it has but one; else it stands for all of its spans. */
  private itemOfLine(line: number): Item | null {
    const [from, to] = this.doc.spansOn(line);
    if (to - from === 1) return this.itemOfSpan(from);
    return to > from ? { pane: this.pane, kind: 'line', index: line } : null;
  }

  private itemUnder(target: EventTarget | null): Item | null {
    for (let el = target as Tagged | null; el && el !== this.scroller; el = el.parentElement) {
      if (el.jxSpan !== undefined) return this.itemOfSpan(el.jxSpan);
      if (el.jxLine !== undefined) return this.itemOfLine(el.jxLine);
    }
    return null;
  }

  private lineOfItem(item: Item): number {
    if (item.kind === 'node') return this.doc.line[this.nodes!.indexOf(item.index)] ?? 0;
    return item.kind === 'span' ? this.doc.line[item.index] : item.index;
  }

  private pointAt(e: MouseEvent): void {
    // Scrolling moves the text under a still pointer; only a moved pointer takes over from the keyboard.
    const pointer = `${e.clientX},${e.clientY}`;
    if (pointer === this.pointer) return;
    this.pointer = pointer;
    this.highlight.setHover(this.itemUnder(e.target));
  }

  private clicked(e: MouseEvent): void {
    const chosen = getSelection();
    if (chosen && !chosen.isCollapsed && this.scroller.contains(chosen.anchorNode)) return; // the end of a text selection
    const item = this.itemUnder(e.target);
    if (item) this.highlight.togglePin(item);
  }

  // ---- keys

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const here = this.here();
    const page = Math.max(1, Math.floor(this.height / ROW_HEIGHT) - 2);
    const moves: Record<string, number> = {
      ArrowDown: here.line + 1, ArrowUp: here.line - 1, PageDown: here.line + page, PageUp: here.line - page, Home: 0, End: this.doc.lineCount - 1
    };
    if (e.key in moves) this.goTo(Math.max(0, Math.min(this.doc.lineCount - 1, moves[e.key])));
    else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
      if (!this.stepSpan(here.line, e.key === 'ArrowRight' ? 1 : -1)) return;
    } else if (e.key === 'Enter' || e.key === ' ') {
      const item = here.item ?? this.itemOfLine(here.line);
      if (item) this.highlight.togglePin(item);
    } else if (e.key === 'n' || e.key === 'p') this.stepHit(e.key === 'n' ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  /** Line the keyboard is on: the hot one, where it left off, or the top of the view. */
  private here(): { line: number; item: Item | null } {
    const { hover } = this.highlight;
    if (hover?.pane === this.pane && (!this.nodes || hover.kind === 'node')) return { line: this.lineOfItem(hover), item: hover };
    if (this.cursor !== undefined) return { line: this.cursor, item: null };
    return { line: Math.ceil(this.scroller.scrollTop / ROW_HEIGHT) - 1, item: null };
  }
  private cursor: number | undefined;

  private goTo(line: number): void {
    this.cursor = line;
    this.scrollTo(line);
    this.highlight.setHover(this.itemOfLine(line));
    for (const row of this.rows.values()) row.el.classList.toggle('jx-cursor', row.el.jxLine === line);
    this.scroller.setAttribute('aria-activedescendant', `${this.id}-${line}`);
  }

  private stepSpan(line: number, step: 1 | -1): boolean {
    const [from, to] = this.doc.spansOn(line);
    if (to - from < 2) return false;
    const { hover } = this.highlight;
    const at = hover?.pane === this.pane && hover.kind === 'span' ? hover.index + step : step > 0 ? from : to - 1;
    this.highlight.setHover(this.itemOfSpan(Math.max(from, Math.min(to - 1, at))));
    return true;
  }
}
