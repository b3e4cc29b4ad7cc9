// One text document with its spans, indexed so that a line or a position is answered without a scan.

import type { Language, RawDocument } from './schema';

export class TextDocument {
  readonly id: string;
  readonly title: string;
  readonly language: Language;
  readonly text: string;
  readonly firstLine: number;
  readonly lineCount: number;
  /** Length of the longest line, in UTF-16 units. */
  readonly maxColumns: number;
  /** Columns of the span table, ordered by line, then start, then longest first (an inner span follows its outer). */
  readonly line: Int32Array;
  readonly col0: Int32Array;
  readonly col1: Int32Array;
  readonly set: Int32Array;
  private readonly starts: Int32Array;
  private readonly firstSpan: Int32Array;

  constructor(raw: RawDocument) {
    this.id = raw.id;
    this.title = raw.title;
    this.language = raw.language;
    this.text = raw.text.endsWith('\n') ? raw.text.slice(0, -1) : raw.text;
    this.firstLine = raw.first_line ?? 1;
    this.starts = lineStarts(this.text);
    this.lineCount = this.starts.length - 1;
    let longest = 0;
    for (let i = 0; i < this.lineCount; i++) longest = Math.max(longest, this.starts[i + 1] - this.starts[i] - 1);
    this.maxColumns = longest;

    const n = raw.spans.length / 4;
    const order = spanOrder(raw.spans, n);
    this.line = new Int32Array(n);
    this.col0 = new Int32Array(n);
    this.col1 = new Int32Array(n);
    this.set = new Int32Array(n);
    this.firstSpan = new Int32Array(this.lineCount + 1);
    for (let i = 0; i < n; i++) {
      const at = (order ? order[i] : i) * 4;
      const line = Math.min(raw.spans[at], this.lineCount - 1);
      this.line[i] = line;
      this.col0[i] = raw.spans[at + 1];
      this.col1[i] = raw.spans[at + 2];
      this.set[i] = raw.spans[at + 3];
      this.firstSpan[line + 1]++;
    }
    for (let i = 0; i < this.lineCount; i++) this.firstSpan[i + 1] += this.firstSpan[i];
  }

  /** Text of a line, without its newline. */
  lineText(line: number): string {
    return this.text.slice(this.starts[line], this.starts[line + 1] - 1);
  }

  /** Line that holds the character at an offset of the whole text. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.lineCount - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.starts[mid] <= offset) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  lineStart(line: number): number {
    return this.starts[line];
  }

  /** First and one-past-last span of a line. */
  spansOn(line: number): [number, number] {
    return [this.firstSpan[line], this.firstSpan[line + 1]];
  }

  /** Innermost span over a position, or -1. */
  spanAt(line: number, col: number): number {
    const [from, to] = this.spansOn(line);
    for (let i = to - 1; i >= from; i--) if (this.col0[i] <= col && col < this.col1[i]) return i;
    return -1;
  }

  /** Line number as the margin shows it. */
  numberOf(line: number): number {
    return this.firstLine + line;
  }
}

function lineStarts(text: string): Int32Array {
  const at: number[] = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) at.push(i + 1);
  at.push(text.length + 1);
  return Int32Array.from(at);
}

/** Order that sorts the flat spans, or null when they are sorted already (the usual case). */
function spanOrder(spans: number[], n: number): Int32Array | null {
  const compare = (a: number, b: number) => {
    const p = a * 4;
    const q = b * 4;
    return spans[p] - spans[q] || spans[p + 1] - spans[q + 1] || spans[q + 2] - spans[p + 2];
  };
  let sorted = true;
  for (let i = 1; i < n && sorted; i++) sorted = compare(i - 1, i) <= 0;
  return sorted ? null : Int32Array.from({ length: n }, (_, i) => i).sort(compare);
}
