// One row of text cut into what the page draws: spans (nested) with leaves of one token kind and one mark each.

export type Piece =
  | { open: number }
  | { close: true }
  | { from: number; to: number; token: string; mark: number };

export interface RowSpans {
  col0: ArrayLike<number>;
  col1: ArrayLike<number>;
  /** Range of the row's spans in the columns; ordered by start, longest first. */
  from: number;
  to: number;
}

/** Columns [from, to) that a search hit, and 2 for the current hit, 1 for the others. */
export interface RowMark {
  from: number;
  to: number;
  kind: number;
}

/** Pieces of a row of `length` columns. `tokens` is flat (start, end, kind); a span that overlaps its outer one is cut to it. */
export function rowPieces(length: number, spans: RowSpans, tokens: readonly (number | string)[], marks: readonly RowMark[]): Piece[] {
  const pieces: Piece[] = [];
  let token = 0;
  let mark = 0;

  const text = (from: number, to: number) => {
    while (from < to) {
      while (token < tokens.length && (tokens[token + 1] as number) <= from) token += 3;
      while (mark < marks.length && marks[mark].to <= from) mark++;
      let end = to;
      let kind = '';
      let hit = 0;
      if (token < tokens.length) {
        const start = tokens[token] as number;
        if (start <= from) {
          kind = tokens[token + 2] as string;
          end = Math.min(end, tokens[token + 1] as number);
        } else end = Math.min(end, start);
      }
      if (mark < marks.length) {
        if (marks[mark].from <= from) {
          hit = marks[mark].kind;
          end = Math.min(end, marks[mark].to);
        } else end = Math.min(end, marks[mark].from);
      }
      pieces.push({ from, to: end, token: kind, mark: hit });
      from = end;
    }
  };

  const ends: number[] = [];
  let at = 0;
  const closeUpTo = (col: number) => {
    while (ends.length && ends[ends.length - 1] <= col) {
      const end = ends.pop()!;
      text(at, end);
      at = Math.max(at, end);
      pieces.push({ close: true });
    }
  };
  for (let i = spans.from; i < spans.to; i++) {
    const outer = ends.length ? ends[ends.length - 1] : length;
    const c0 = Math.min(spans.col0[i], length);
    if (c0 >= outer) closeUpTo(c0);
    const c1 = Math.min(spans.col1[i], ends.length ? ends[ends.length - 1] : length);
    if (c1 <= c0) continue;
    text(at, c0);
    at = c0;
    pieces.push({ open: i });
    ends.push(c1);
  }
  closeUpTo(length);
  text(at, length);
  return pieces;
}
