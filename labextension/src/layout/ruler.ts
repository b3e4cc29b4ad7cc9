// The overview ruler: where a document's hits lie, in a strip as high as its view.

export interface Mark {
  y: number;
  height: number;
  /** First line of the mark: where a click goes. */
  line: number;
  /** Hits merged into it. */
  count: number;
}

const LEAST = 3;

/** Height of one line in the ruler: true to the text while it fits, squeezed when it does not. */
export function rulerScale(total: number, viewHeight: number, rowHeight: number): number {
  return total > 0 ? Math.min(rowHeight, viewHeight / total) : rowHeight;
}

/** Marks for sorted lines; marks that would touch are one. */
export function rulerMarks(lines: Int32Array, total: number, viewHeight: number, rowHeight: number): Mark[] {
  const scale = rulerScale(total, viewHeight, rowHeight);
  const marks: Mark[] = [];
  let open: Mark | undefined;
  for (const line of lines) {
    const y = Math.max(0, Math.min(line * scale, viewHeight - LEAST));
    const height = Math.max(LEAST, scale - 1);
    if (open && y <= open.y + open.height) {
      open.height = y + height - open.y;
      open.count++;
    } else {
      open = { y, height, line, count: 1 };
      marks.push(open);
    }
  }
  return marks;
}

/** The hit nearest to a height in the ruler. */
export function lineNear(lines: Int32Array, y: number, total: number, viewHeight: number, rowHeight: number): number {
  const wanted = y / rulerScale(total, viewHeight, rowHeight) - 0.5;
  let best = -1;
  for (const line of lines) if (best < 0 || Math.abs(line - wanted) < Math.abs(best - wanted)) best = line;
  return best;
}

/** Hit after (step 1) or before (step -1) a line, going round at the ends; -1 without hits. */
export function neighbourHit(lines: Int32Array, line: number, step: 1 | -1): number {
  if (!lines.length) return -1;
  if (step > 0) {
    for (const l of lines) if (l > line) return l;
    return lines[0];
  }
  for (let i = lines.length - 1; i >= 0; i--) if (lines[i] < line) return lines[i];
  return lines[lines.length - 1];
}
