// The exploration schema, version 1, as the front end reads it (docs/schema.md says each field's meaning).
// Types only: checking is validate.ts, indexing is exploration.ts.

export const SCHEMA_VERSION = 1;
export const MIME = 'application/vnd.jaxnb.exploration+json';

/** The value of the MIME entry: what a saved notebook or page carries. */
export interface Envelope {
  schema: number;
  title: string;
  /** Plain summary, shown when the model cannot be read. */
  text: string;
  /** base64 of gzip of the model's JSON. */
  z: string;
}

export const STAGES = ['trace', 'lower', 'compile', 'run'] as const;
export type Stage = (typeof STAGES)[number];
export type StageState = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

export interface RawStatus {
  trace: StageState;
  lower: StageState;
  compile: StageState;
  run: StageState;
  /** One line for the whole exploration: "the worker was killed …". */
  message?: string;
  errors?: Partial<Record<Stage, string>>;
  /** Unix seconds at which a running stage began. */
  since?: Partial<Record<Stage, number>>;
}

export interface HeaderEntry {
  k: string;
  v: string;
  n?: number;
}

export type Language = 'python' | 'jaxpr' | 'mlir' | 'hlo' | 'text';

export interface RawDocument {
  id: string;
  title: string;
  language: Language;
  text: string;
  first_line?: number;
  /** line, col0, col1, set, … */
  spans: number[];
}

export interface RawNode {
  id: string;
  label: string;
  sub?: string;
  kind: string;
  x: number;
  y: number;
  w: number;
  h: number;
  set?: number | null;
  group?: string | null;
}

export interface RawEdge {
  from: string;
  to: string;
  points: number[];
  label?: string;
}

export interface RawGroup {
  label: string;
  kind: string;
  w: number;
  h: number;
  nodes: RawNode[];
  edges: RawEdge[];
}

export interface RawGraph {
  root: string;
  groups: Record<string, RawGroup>;
  dot?: string;
}

export interface RawFate {
  kind: string;
  into?: number[];
  text: string;
}

interface PanelHead {
  id: string;
  title: string;
  stage: Stage;
  note?: string;
}

export interface RawColumn {
  title: string;
  number?: boolean;
  code?: boolean;
}

export type PanelMark = 'warn' | 'good' | 'bad' | 'head';

export interface RawTable extends PanelHead {
  kind: 'table';
  columns: RawColumn[];
  rows: { cells: string[]; set?: number; mark?: PanelMark; detail?: string }[];
  empty: string;
}

/** mark (0 kept, 1 changed, 2 added, 3 removed), depth, left text, right text, set or -1, what was changed. */
export type RawDiffRow = [mark: number, depth: number, left: string | null, right: string | null, set: number, why: string];

export interface RawDiff extends PanelHead {
  kind: 'diff';
  language: Language;
  left: string;
  right: string;
  counts: Record<string, number>;
  rows: RawDiffRow[];
}

export interface RawCard {
  title: string;
  figures?: HeaderEntry[];
  text?: string;
  code?: string;
  language?: Language;
  mark?: PanelMark;
  set?: number;
}

export interface RawCards extends PanelHead {
  kind: 'cards';
  /** Whether each card leads to the next. */
  chain: boolean;
  cards: RawCard[];
}

/** The place of a panel whose stage has not come yet. */
export interface RawWaiting extends PanelHead {
  kind: 'waiting';
}

export type RawPanel = RawTable | RawDiff | RawCards | RawWaiting;

export interface RawExploration {
  schema: number;
  title: string;
  function?: string;
  cell?: number | null;
  header: HeaderEntry[];
  status: RawStatus;
  facts?: Record<string, unknown>;
  pivots: { kind: string[]; label: string[]; fate?: (string | null)[]; type?: (string | null)[] };
  sets: number[][];
  documents: RawDocument[];
  graph?: RawGraph | null;
  fates?: Record<string, RawFate>;
  overlays?: Record<string, unknown>;
  panels?: RawPanel[];
  /** Panes that are open at first; all when left out. */
  open?: string[];
}
