// Items a user can point at, and how one is written into a link.

import type { Exploration, GraphNode } from './exploration';

/** A span of a document, a whole line of it (margin, keyboard), a graph node (index in Graph.nodes), or a panel's item. */
export interface Item {
  pane: number;
  kind: 'span' | 'line' | 'node' | 'item';
  index: number;
}

export function sameItem(a: Item | null, b: Item | null): boolean {
  return a === b || (!!a && !!b && a.pane === b.pane && a.kind === b.kind && a.index === b.index);
}

/** Sets an item carries: one for a span or a node, those of all its spans for a line. */
export function setsOf(model: Exploration, item: Item): number[] {
  const { document, graph, panel } = model.panes[item.pane];
  if (item.kind === 'node') return graph ? [graph.set[item.index]] : [];
  if (item.kind === 'item') return panel ? [panel.set[item.index]] : [];
  if (!document) return [];
  if (item.kind === 'span') return [document.set[item.index]];
  const [from, to] = document.spansOn(item.index);
  return [...document.set.subarray(from, to)];
}

/** Line of a document item. */
export function lineOf(model: Exploration, item: Item): number {
  return item.kind === 'span' ? model.panes[item.pane].document!.line[item.index] : item.index;
}

export function nodeOf(model: Exploration, item: Item): GraphNode {
  return model.panes[item.pane].graph!.nodes[item.index];
}

/** Address of an item that survives a new model: pane, then line and column, or group and node. */
export function addressOf(model: Exploration, item: Item): string {
  const { id, document } = model.panes[item.pane];
  if (item.kind === 'node') {
    const node = nodeOf(model, item);
    return [id, node.home, node.id].map(encodeURIComponent).join('/');
  }
  if (item.kind === 'item') return `${encodeURIComponent(id)}/${item.index}`;
  return item.kind === 'line' ? `${id}/${item.index}` : `${id}/${document!.line[item.index]}/${document!.col0[item.index]}-${document!.col1[item.index]}`;
}

/** The item at an address, or null when the model has none there. */
export function itemAt(model: Exploration, address: string): Item | null {
  const [id, a = '', b = ''] = address.split('/').map(decodeURIComponent);
  const pane = model.paneIndex(id);
  if (pane < 0) return null;
  const { document, graph, panel } = model.panes[pane];
  if (panel) return a && Number(a) < panel.count ? { pane, kind: 'item', index: Number(a) } : null;
  if (graph) {
    const node = graph.nodesOf(a).find(n => n.id === b);
    return node ? { pane, kind: 'node', index: node.index } : null;
  }
  const line = Number(a);
  if (!document || !a || !(line >= 0 && line < document.lineCount)) return null;
  if (!b) return { pane, kind: 'line', index: line };
  const [c0, c1] = b.split('-').map(Number);
  const [from, to] = document.spansOn(line);
  for (let i = from; i < to; i++) {
    if (document.col0[i] === c0 && document.col1[i] === c1) return { pane, kind: 'span', index: i };
  }
  return null;
}

/** What a link restores: which exploration, the pinned item, the open panes. */
export interface Link {
  name: string;
  at: string;
  panes: string[];
}

/** Name that tells the explorations of one page apart. */
export function linkName(model: Exploration): string {
  return model.cell == null ? model.title : `${model.title}@${model.cell}`;
}

/** The hash fragment, without its '#'. */
export function writeLink(link: Link): string {
  const parts = [`jaxnb=${encodeURIComponent(link.name)}`];
  if (link.at) parts.push(`at=${encodeURIComponent(link.at)}`);
  if (link.panes.length) parts.push(`panes=${link.panes.map(encodeURIComponent).join(',')}`);
  return parts.join('&');
}

/** The link in a hash fragment, or null when it is not one of ours. */
export function readLink(hash: string): Link | null {
  const fields = new Map(hash.replace(/^#/, '').split('&').map(part => {
    const cut = part.indexOf('=');
    return [part.slice(0, cut), part.slice(cut + 1)] as const;
  }));
  const name = fields.get('jaxnb');
  if (name === undefined) return null;
  try {
    return {
      name: decodeURIComponent(name),
      at: decodeURIComponent(fields.get('at') ?? ''),
      panes: (fields.get('panes') ?? '').split(',').filter(Boolean).map(decodeURIComponent)
    };
  } catch {
    return null; // a broken percent escape
  }
}
