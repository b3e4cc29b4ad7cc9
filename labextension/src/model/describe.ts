// What is hot, in words, for the status line (read out by screen readers).

import { plural } from './format';
import { Exploration, isFilled } from './exploration';
import type { Lighting } from './links';
import { Item, nodeOf, setsOf } from './selection';

export interface Description {
  /** "exp", "fusion.3", "5 operations". */
  label: string;
  /** "equation", "line 3", "f32[1000000]", … */
  details: string[];
  /** Panes without a counterpart and why. */
  fates: string[];
}

const KIND: Record<string, string> = { eqn: 'equation', arg: 'argument', const: 'captured constant' };
const LISTED = 3;

/** Title and fate texts are data; every text returned is plain. `shown` says which panes are open. */
export function describe(model: Exploration, item: Item, lighting: Lighting, shown: (pane: number) => boolean): Description {
  const pivots = model.links.pivotsOf(setsOf(model, item));
  const { kind, label, type } = model.raw.pivots;
  const details: string[] = [];
  let name: string;
  const panel = model.panes[item.pane].panel;
  if (panel) {
    name = panel.nameOf(item.index);
    const remark = panel.remarkOf(item.index);
    if (remark) details.push(remark);
    else details.push(pivots.length ? listed(pivots.map(p => label[p])) : 'linked to nothing');
  } else if (item.kind === 'node') {
    const node = nodeOf(model, item);
    name = node.label;
    details.push(node.kind);
    if (node.sub) details.push(node.sub);
    if (pivots.length) details.push(listed(pivots.map(p => label[p])));
  } else if (pivots.length === 1) {
    name = label[pivots[0]];
    details.push(KIND[kind[pivots[0]]] ?? kind[pivots[0]]);
    const t = type?.[pivots[0]];
    if (t) details.push(t);
  } else if (pivots.length) {
    name = plural(pivots.length, 'operation');
    details.push(listed(pivots.map(p => label[p])));
  } else {
    name = item.kind === 'line' ? `line ${model.panes[item.pane].document!.numberOf(item.index)}` : 'no operation';
    details.push('linked to nothing');
  }
  const where = sourceLines(model, pivots);
  if (where) details.push(where);
  return { label: name, details, fates: pivots.length ? missing(model, item, lighting, pivots, shown) : [] };
}

function listed(names: string[]): string {
  const counts = new Map<string, number>();
  for (const n of names) counts.set(n, (counts.get(n) ?? 0) + 1);
  const parts = [...counts].map(([n, c]) => (c > 1 ? `${n} ×${c}` : n));
  const rest = parts.length - LISTED;
  return parts.slice(0, LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** "line 3", "lines 3, 5" of the Source pane. */
function sourceLines(model: Exploration, pivots: number[]): string {
  const pane = model.paneIndex('source');
  const source = model.panes[pane]?.document;
  if (!source) return '';
  const lines = new Set<number>();
  for (const span of model.links.light(pivots, -1).hits[pane]) lines.add(source.numberOf(source.line[span]));
  if (!lines.size) return '';
  const list = [...lines];
  return `${list.length > 1 ? 'lines' : 'line'} ${list.slice(0, LISTED).join(', ')}${list.length > LISTED ? ' …' : ''}`;
}

function missing(model: Exploration, item: Item, lighting: Lighting, pivots: number[], shown: (pane: number) => boolean): string[] {
  const empty = model.panes.filter((p, i) => i !== item.pane && shown(i) && isFilled(p) && !p.panel && !lighting.hits[i].length);
  if (!empty.length) return [];
  const why = [...new Set(pivots.map(p => model.fateOf(p)).filter(Boolean))];
  const text = why.slice(0, 2).join('; ') + (why.length > 2 ? `; and ${why.length - 2} more` : '');
  return [`not in ${empty.map(p => p.title).join(', ')}${text ? `: ${text}` : ''}`];
}
