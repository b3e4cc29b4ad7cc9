// Says what is wrong with a decoded model before anything is built on it. Checks shape and index ranges, not meaning.

import { RawExploration, SCHEMA_VERSION, STAGES } from './schema';

const STATES = new Set(['pending', 'running', 'done', 'failed', 'cancelled']);

/** A model or envelope that this version cannot read; the message is shown to the user as it stands. */
export class SchemaError extends Error {}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

function need(ok: boolean, where: string, want: string): asserts ok {
  if (!ok) throw new SchemaError(`exploration model: ${where} is not ${want}`);
}

/** Refuses any schema version but ours, saying which way the mismatch goes. */
export function checkVersion(value: unknown): asserts value is Record<string, unknown> & { schema: number } {
  need(isObject(value), 'value', 'an object');
  const got = value.schema;
  if (got !== SCHEMA_VERSION) {
    const cure = typeof got === 'number' && got > SCHEMA_VERSION
      ? 'Update jaxnb to read it.'
      : 'Run the cell again to make it anew.';
    throw new SchemaError(`This view reads exploration schema ${SCHEMA_VERSION}; the output has ${String(got)}. ${cure}`);
  }
}

/** Returns the value as a model, or throws a SchemaError that names the first field that is wrong. */
export function validate(value: unknown): RawExploration {
  checkVersion(value);
  const m = value as unknown as RawExploration;
  need(typeof m.title === 'string', 'title', 'a string');
  need(Array.isArray(m.header) && m.header.every(e => isObject(e) && typeof e.k === 'string' && typeof e.v === 'string'),
    'header', 'a list of {k, v}');
  need(isObject(m.status), 'status', 'an object');
  for (const s of STAGES) need(STATES.has(m.status[s]), `status.${s}`, `one of ${[...STATES].join(', ')}`);
  need(isObject(m.pivots) && Array.isArray(m.pivots.kind) && Array.isArray(m.pivots.label), 'pivots', '{kind: [], label: []}');
  const pivots = m.pivots.kind.length;
  need(m.pivots.label.length === pivots, 'pivots.label', `as long as pivots.kind (${pivots})`);
  need(Array.isArray(m.sets), 'sets', 'a list');
  m.sets.forEach((set, i) => need(Array.isArray(set) && set.every(p => Number.isInteger(p) && p >= 0 && p < pivots),
    `sets[${i}]`, `a list of pivot numbers below ${pivots}`));
  need(Array.isArray(m.documents), 'documents', 'a list');
  for (const d of m.documents) {
    need(isObject(d) && typeof d.id === 'string' && typeof d.text === 'string', 'documents[]', 'a {id, title, language, text, spans}');
    checkSpans(d.spans, m.sets.length, `documents.${d.id}.spans`);
  }
  if (m.graph) {
    need(isObject(m.graph.groups), 'graph.groups', 'an object');
    need(m.graph.root in m.graph.groups, 'graph.root', 'the name of a group');
    for (const [name, g] of Object.entries(m.graph.groups)) {
      need(Array.isArray(g.nodes) && Array.isArray(g.edges), `graph.groups.${name}`, '{nodes: [], edges: []}');
      for (const n of g.nodes) {
        need(n.set == null || (n.set >= 0 && n.set < m.sets.length), `graph node ${n.id}.set`, 'the number of a set');
        need(n.group == null || n.group in m.graph.groups, `graph node ${n.id}.group`, 'the name of a group');
      }
    }
  }
  for (const p of m.panels ?? []) {
    need(isObject(p) && typeof p.id === 'string' && (STAGES as readonly string[]).includes(p.stage), 'panels[]', 'a {id, title, stage, kind}');
    const sets = p.kind === 'table' ? p.rows.map(r => r.set) : p.kind === 'diff' ? p.rows.map(r => r[4]) : p.kind === 'cards' ? p.cards.map(c => c.set) : [];
    need(sets.every(s => s == null || s < m.sets.length), `panels.${p.id}`, 'linked by numbers of sets');
  }
  return m;
}

function checkSpans(spans: unknown, sets: number, where: string): void {
  need(Array.isArray(spans) && spans.length % 4 === 0, where, 'a flat list of line, col0, col1, set');
  for (let i = 0; i < spans.length; i += 4) {
    const ok = spans[i] >= 0 && spans[i + 1] >= 0 && spans[i + 2] >= spans[i + 1] && spans[i + 3] >= 0 && spans[i + 3] < sets;
    if (!ok) need(false, `${where}[${i}…${i + 3}]`, 'a line, two columns in order and the number of a set');
  }
}
