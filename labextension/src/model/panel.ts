// A panel beside the texts: a table, a difference or cards. Its items are rows, or cards, by number.

import type { RawCards, RawDiff, RawTable } from './schema';

export class Panel {
  readonly count: number;
  /** Set of each item, or -1. */
  readonly set: Int32Array;
  /** Short size: "12 rows". */
  readonly size: string;

  constructor(readonly raw: RawTable | RawDiff | RawCards) {
    const sets = raw.kind === 'table' ? raw.rows.map(r => r.set)
      : raw.kind === 'diff' ? raw.rows.map(r => r[4])
      : raw.cards.map(c => c.set);
    this.set = Int32Array.from(sets, s => s ?? -1);
    this.count = sets.length;
    this.size = sizeOf(raw);
  }

  /** What is searched for in an item, and copied. */
  textOf(item: number): string {
    const { raw } = this;
    if (raw.kind === 'table') {
      const row = raw.rows[item];
      return [row.cells.join('\t'), row.detail].filter(Boolean).join('\n');
    }
    if (raw.kind === 'diff') {
      const [mark, depth, left, right, , why] = raw.rows[item];
      const pad = '  '.repeat(depth);
      const lines = mark === 1 ? [`~ ${pad}${left}`, `  ${pad}${right}`] : [`${' ~+-'[mark]} ${pad}${right ?? left}`];
      return [...lines, why && `    ${pad}(${why})`].filter(Boolean).join('\n');
    }
    const card = raw.cards[item];
    const figures = (card.figures ?? []).map(f => `${f.k} ${f.v}`.trim()).join(', ');
    return [card.title, figures, card.text, card.code].filter(Boolean).join('\n');
  }

  /** How an item is called in a sentence. */
  nameOf(item: number): string {
    const { raw } = this;
    if (raw.kind === 'table') return raw.rows[item].cells.find(Boolean) ?? '';
    if (raw.kind === 'diff') return (raw.rows[item][3] ?? raw.rows[item][2] ?? '').split(' = ').pop()!.split(/[ [(]/)[0];
    return raw.cards[item].title;
  }

  /** What else there is to say of an item, beside its links. */
  remarkOf(item: number): string {
    return this.raw.kind === 'diff' ? this.raw.rows[item][5] : '';
  }

  /** The whole panel as text. */
  get text(): string {
    const head = this.raw.kind === 'table' ? [this.raw.columns.map(c => c.title).join('\t')] : [];
    return [...head, ...Array.from({ length: this.count }, (_, i) => this.textOf(i)), this.raw.note].filter(t => t !== undefined && t !== '').join('\n');
  }
}

function sizeOf(raw: RawTable | RawDiff | RawCards): string {
  if (raw.kind === 'diff') {
    const parts = Object.entries(raw.counts).filter(([, n]) => n).map(([mark, n]) => `${n} ${mark}`);
    return parts.join(', ') || 'nothing';
  }
  const n = raw.kind === 'table' ? raw.rows.filter(r => r.mark !== 'head').length : raw.cards.length;
  if (raw.kind === 'cards') return '';
  return n === 1 ? '1 row' : `${n} rows`;
}
