// The linking rule. An item (a span or a graph node) carries a set of pivots; what is hot lights every item of every OTHER
// pane whose set meets its own. Inverted indices in typed arrays make one look-up cost only what it lights.

/** Rows of integers stored end to end: row i is items[start[i] .. start[i + 1]). */
export interface Rows {
  start: Int32Array;
  items: Int32Array;
}

/** Which items light for one hot item. */
export interface Lighting {
  /** Pane the hot item is in: nothing lights there. */
  origin: number;
  /** 1 for each set that meets the hot one. */
  sets: Uint8Array;
  /** For each pane, the lit items in order. Empty for the origin. */
  hits: Int32Array[];
}

/** Row k of the result lists the i with value k in column (i, values[i]); values below 0 are left out. */
export function groupBy(values: Int32Array, rows: number): Rows {
  const start = new Int32Array(rows + 1);
  for (const v of values) if (v >= 0) start[v + 1]++;
  for (let i = 0; i < rows; i++) start[i + 1] += start[i];
  const next = start.slice(0, rows);
  const items = new Int32Array(start[rows]);
  for (let i = 0; i < values.length; i++) if (values[i] >= 0) items[next[values[i]]++] = i;
  return { start, items };
}

function invert(sets: readonly number[][], pivots: number): Rows {
  const start = new Int32Array(pivots + 1);
  for (const set of sets) for (const p of set) start[p + 1]++;
  for (let i = 0; i < pivots; i++) start[i + 1] += start[i];
  const next = start.slice(0, pivots);
  const items = new Int32Array(start[pivots]);
  sets.forEach((set, s) => {
    for (const p of set) items[next[p]++] = s;
  });
  return { start, items };
}

export class LinkIndex {
  private readonly setsOfPivot: Rows;
  private readonly itemsOfSet: Rows[];

  /** `panes[p][i]` is the set of item i of pane p, or -1. */
  constructor(pivots: number, private readonly sets: readonly number[][], panes: readonly Int32Array[]) {
    this.setsOfPivot = invert(sets, pivots);
    this.itemsOfSet = panes.map(items => groupBy(items, sets.length));
  }

  /** Union of the pivots of some sets, in order. */
  pivotsOf(sets: Iterable<number>): number[] {
    const all = new Set<number>();
    for (const s of sets) if (s >= 0) for (const p of this.sets[s]) all.add(p);
    return [...all].sort((a, b) => a - b);
  }

  /** What lights when an item with these pivots in pane `origin` is hot (-1: no pane is spared). */
  light(pivots: Iterable<number>, origin: number): Lighting {
    const lit = new Uint8Array(this.sets.length);
    const litSets: number[] = [];
    const { start, items } = this.setsOfPivot;
    for (const p of pivots) {
      for (let k = start[p]; k < start[p + 1]; k++) {
        const s = items[k];
        if (!lit[s]) {
          lit[s] = 1;
          litSets.push(s);
        }
      }
    }
    const hits = this.itemsOfSet.map((rows, pane) => (pane === origin ? new Int32Array(0) : gather(rows, litSets)));
    return { origin, sets: lit, hits };
  }
}

function gather(rows: Rows, keys: readonly number[]): Int32Array {
  let n = 0;
  for (const k of keys) n += rows.start[k + 1] - rows.start[k];
  const out = new Int32Array(n);
  let at = 0;
  for (const k of keys) {
    out.set(rows.items.subarray(rows.start[k], rows.start[k + 1]), at);
    at += rows.start[k + 1] - rows.start[k];
  }
  return out.sort();
}
