// Plain-text search in a document. Case matters only when the query has a capital.

import type { TextDocument } from './document';

export interface Matches {
  /** Offset of each match in the whole text, in order. */
  at: number[];
  length: number;
  /** Lines with a match, once each, in order. */
  lines: Int32Array;
  /** True when the limit cut the search short. */
  more: boolean;
}

export const NO_MATCHES: Matches = { at: [], length: 0, lines: new Int32Array(0), more: false };

function foldCase(query: string, text: string): [string, string] {
  if (query !== query.toLowerCase()) return [query, text];
  const folded = text.toLowerCase();
  // A few letters change length when lowered, which would shift every later column.
  return folded.length === text.length ? [query, folded] : [query, text];
}

export function search(document: TextDocument, query: string, limit = 10_000): Matches {
  if (!query) return NO_MATCHES;
  const [needle, hay] = foldCase(query, document.text);
  const at: number[] = [];
  const lines: number[] = [];
  let i = hay.indexOf(needle);
  for (; i >= 0 && at.length < limit; i = hay.indexOf(needle, i + needle.length)) {
    at.push(i);
    const line = document.lineAt(i);
    if (lines[lines.length - 1] !== line) lines.push(line);
  }
  return { at, length: needle.length, lines: Int32Array.from(lines), more: i >= 0 };
}

/** Whether one text has the query, by the same rule of case. */
export function contains(text: string, query: string): boolean {
  const [needle, hay] = foldCase(query, text);
  return hay.includes(needle);
}

/** First match with offset ≥ `offset`, or the count when there is none. */
export function firstMatchFrom(matches: Matches, offset: number): number {
  let low = 0;
  let high = matches.at.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (matches.at[mid] < offset) low = mid + 1;
    else high = mid;
  }
  return low;
}
