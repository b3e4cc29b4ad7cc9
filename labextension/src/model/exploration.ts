// A checked model, indexed: panes in their order on screen, the link index, pivots and fates. Immutable once built.

import { TextDocument } from './document';
import { LinkIndex } from './links';
import { Panel } from './panel';
import type { HeaderEntry, RawExploration, RawGroup, RawNode, RawStatus, Stage } from './schema';

/** A graph node with its place in the flat table of all groups' nodes. */
export interface GraphNode extends RawNode {
  index: number;
  home: string;
}

export class Graph {
  readonly root: string;
  readonly dot: string | undefined;
  readonly nodes: GraphNode[] = [];
  /** Set of each node, or -1. */
  readonly set: Int32Array;
  /** For each group, the node that opens it. */
  readonly opener = new Map<string, GraphNode>();
  private readonly members = new Map<string, GraphNode[]>();

  constructor(private readonly groups: Record<string, RawGroup>, root: string, dot?: string) {
    this.root = root;
    this.dot = dot;
    for (const [home, g] of Object.entries(groups)) {
      const own = g.nodes.map((n, i) => ({ ...n, home, index: this.nodes.length + i }));
      this.members.set(home, own);
      for (const n of own) {
        this.nodes.push(n);
        if (n.group && n.group !== home && !this.opener.has(n.group)) this.opener.set(n.group, n);
      }
    }
    this.set = Int32Array.from(this.nodes, n => n.set ?? -1);
  }

  group(id: string): RawGroup {
    return this.groups[id];
  }

  has(id: string): boolean {
    return id in this.groups;
  }

  nodesOf(id: string): GraphNode[] {
    return this.members.get(id) ?? [];
  }

  /** Groups from the root down to this one. */
  pathTo(id: string): string[] {
    const path = [id];
    for (let up = this.opener.get(id); up && !path.includes(up.home); up = this.opener.get(up.home)) path.unshift(up.home);
    return path;
  }
}

/** One pane: a panel, a text document or the graph. Panes whose stage has not come yet have none of them. */
export interface Pane {
  id: string;
  title: string;
  stage: Stage;
  document?: TextDocument;
  graph?: Graph;
  panel?: Panel;
}

/** Whether a pane has something to show. */
export function isFilled(pane: Pane): boolean {
  return !!(pane.document ?? pane.graph ?? pane.panel);
}

const PANES: readonly [id: string, title: string, stage: Stage][] = [
  ['source', 'Source', 'trace'],
  ['jaxpr', 'jaxpr', 'trace'],
  ['stablehlo', 'StableHLO', 'lower'],
  ['hlo', 'HLO', 'compile'],
  ['graph', 'Graph', 'compile']
];

export class Exploration {
  readonly title: string;
  readonly functionName: string;
  readonly cell: number | null;
  readonly header: HeaderEntry[];
  readonly status: RawStatus;
  readonly facts: Record<string, unknown>;
  readonly sets: readonly number[][];
  readonly panes: Pane[];
  readonly links: LinkIndex;

  constructor(readonly raw: RawExploration) {
    this.title = raw.title;
    this.functionName = raw.function ?? raw.title;
    this.cell = raw.cell ?? null;
    this.header = raw.header;
    this.status = raw.status;
    this.facts = raw.facts ?? {};
    this.sets = raw.sets;
    const documents = new Map(raw.documents.map(d => [d.id, d]));
    // What is said about the texts comes before them.
    this.panes = (raw.panels ?? []).map(p => ({ id: p.id, title: p.title, stage: p.stage, panel: p.kind === 'waiting' ? undefined : new Panel(p) }));
    for (const [id, title, stage] of PANES) {
      const d = documents.get(id);
      documents.delete(id);
      const graph = id === 'graph' && raw.graph ? new Graph(raw.graph.groups, raw.graph.root, raw.graph.dot) : undefined;
      this.panes.push({ id, title: d?.title ?? title, stage, document: d && new TextDocument(d), graph });
    }
    // A document this version does not know is still shown, last.
    for (const d of documents.values()) {
      this.panes.push({ id: d.id, title: d.title, stage: 'trace', document: new TextDocument(d) });
    }
    this.links = new LinkIndex(
      raw.pivots.kind.length, raw.sets,
      this.panes.map(p => p.document?.set ?? p.graph?.set ?? p.panel?.set ?? new Int32Array(0))
    );
  }

  /** Whether a pane has something to show or to wait for. A view of some stages leaves out what was not begun for it. */
  isOffered(pane: Pane): boolean {
    const { open } = this.raw;
    return !open || open.includes(pane.id) || isFilled(pane) || this.status[pane.stage] !== 'pending';
  }

  paneIndex(id: string): number {
    return this.panes.findIndex(p => p.id === id);
  }

  /** What became of a pivot, in words, or an empty string. */
  fateOf(pivot: number): string {
    return this.raw.fates?.[pivot]?.text ?? this.raw.pivots.fate?.[pivot] ?? '';
  }
}
