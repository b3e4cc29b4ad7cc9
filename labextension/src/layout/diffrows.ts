// Which rows of a difference are shown: changes with some context; long runs of kept rows are folded to one line each.

/** A row by number, or a folded run of kept rows. */
export type DiffEntry = { row: number } | { from: number; to: number };

/** Kept rows shown next to a change. */
const CONTEXT = 3;
/** A shorter run is not worth folding. */
const LEAST_FOLD = 4;

/** Entries in order. `opened` holds the first rows of the runs that were unfolded; nothing is folded where nothing changed. */
export function diffEntries(marks: ArrayLike<number>, opened: ReadonlySet<number>): DiffEntry[] {
  const entries: DiffEntry[] = [];
  const n = marks.length;
  const rows = (from: number, to: number) => {
    for (let i = from; i < to; i++) entries.push({ row: i });
  };
  for (let at = 0; at < n;) {
    if (marks[at]) {
      entries.push({ row: at++ });
      continue;
    }
    let end = at;
    while (end < n && !marks[end]) end++;
    const from = at === 0 ? 0 : at + CONTEXT;
    const to = end === n ? n : end - CONTEXT;
    if ((at === 0 && end === n) || to - from < LEAST_FOLD || opened.has(from)) rows(at, end);
    else {
      rows(at, from);
      entries.push({ from, to });
      rows(to, end);
    }
    at = end;
  }
  return entries;
}

/** Entry that shows a row: its own, or the run it is folded into. */
export function entryOf(entries: readonly DiffEntry[], row: number): number {
  let low = 0;
  let high = entries.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    const e = entries[mid];
    if (('row' in e ? e.row : e.from) <= row) low = mid;
    else high = mid - 1;
  }
  return low;
}
