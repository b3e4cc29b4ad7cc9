// Tables and cards on screen, and the choice of a panel's view.

import type { Panel } from '../model/panel';
import type { Language, RawCard, RawCards, RawTable } from '../model/schema';
import { DiffView } from './diffview';
import { confirm, copyText, h, iconButton, ICONS } from './dom';
import type { Highlight } from './highlight';
import { codeLine, ItemsView, prose } from './itemsview';

/** The view of a panel. */
export function panelView(highlight: Highlight, pane: number, panel: Panel): ItemsView {
  const { raw } = panel;
  if (raw.kind === 'diff') return new DiffView(highlight, pane, panel, raw);
  return raw.kind === 'table' ? new TableView(highlight, pane, panel, raw) : new CardsView(highlight, pane, panel, raw);
}

class TableView extends ItemsView {
  readonly el: HTMLElement;
  private readonly rows: HTMLElement[] = [];

  constructor(highlight: Highlight, pane: number, panel: Panel, raw: RawTable) {
    super(highlight, pane, panel);
    const cls = raw.columns.map(c => [c.number && 'jx-num', c.code && 'jx-mono'].filter(Boolean).join(' ') || null);
    const body = h('tbody', {});
    raw.rows.forEach((row, i) => {
      const linked = row.set !== undefined ? ' jx-linked' : '';
      const el = h('tr', { 'data-item': i, class: `jx-tr${linked}${row.mark ? ` jx-is-${row.mark}` : ''}` });
      if (row.mark === 'head') el.append(h('th', { colspan: raw.columns.length, scope: 'rowgroup' }, row.cells.filter(Boolean).join(' ')));
      else row.cells.forEach((cell, c) => el.append(h('td', { class: cls[c] }, cell)));
      body.append(el);
      if (row.detail) body.append(h('tr', { 'data-item': i, class: `jx-detail${row.mark ? ` jx-is-${row.mark}` : ''}` }, h('td', { colspan: raw.columns.length }, ...prose(row.detail))));
      this.rows.push(el);
    });
    const table = h('table', { class: 'jx-table' },
      raw.columns.some(c => c.title) && h('thead', {}, h('tr', {}, ...raw.columns.map((c, i) => h('th', { class: cls[i], scope: 'col' }, c.title)))), body);
    this.el = h('div', { class: 'jx-body' }, this.box(raw.title,
      raw.rows.length ? table : h('p', { class: 'jx-empty' }, raw.empty), raw.note ? h('p', { class: 'jx-foot' }, ...prose(raw.note)) : null));
  }

  protected repaint(): void {
    this.rows.forEach((el, i) => this.mark(el, i));
  }

  protected reveal(item: number): void {
    this.rows[item]?.scrollIntoView({ block: 'nearest' });
  }
}

class CardsView extends ItemsView {
  readonly el: HTMLElement;
  private readonly cards: HTMLElement[];

  constructor(highlight: Highlight, pane: number, panel: Panel, raw: RawCards) {
    super(highlight, pane, panel);
    this.cards = raw.cards.map((card, i) => this.card(card, i));
    const list = h(raw.chain ? 'ol' : 'div', { class: raw.chain ? 'jx-cards jx-chain' : 'jx-cards' }, ...this.cards);
    this.el = h('div', { class: 'jx-body' }, this.box(raw.title, raw.cards.length ? list : null, raw.note ? h('p', { class: 'jx-foot' }, ...prose(raw.note)) : null));
  }

  private card(card: RawCard, item: number): HTMLElement {
    const chain = (this.panel.raw as RawCards).chain;
    return h(chain ? 'li' : 'section', { class: `jx-card${card.set !== undefined ? ' jx-linked' : ''}${card.mark ? ` jx-is-${card.mark}` : ''}`, 'data-item': item },
      h('h4', {}, ...prose(card.title)),
      card.figures && h('dl', { class: 'jx-figures' }, ...card.figures.map(f => h('div', {}, f.k && h('dt', {}, f.k), h('dd', { title: f.v }, f.v)))),
      card.text && h('p', {}, ...prose(card.text)),
      card.code && this.code(card.code, card.language ?? 'text'));
  }

  private code(text: string, language: Language): HTMLElement {
    const copy = iconButton('Copy', ICONS.copy, async () => { if (await copyText(text)) confirm(copy, ICONS.copy); });
    const lines = text.replace(/\n$/, '').split('\n');
    return h('div', { class: 'jx-snippet' },
      h('pre', {}, ...lines.flatMap((line, i) => [...(i ? ['\n'] : []), ...codeLine(language, line)])), copy);
  }

  protected repaint(): void {
    this.cards.forEach((el, i) => this.mark(el, i));
  }

  protected reveal(item: number): void {
    this.cards[item]?.scrollIntoView({ block: 'nearest' });
  }
}

