// A model of the size of a whole training step, made up: for timing, and for looking at long panes.

import type { RawExploration, RawGroup, RawNode } from '../src/model/schema';

export interface StressSize {
  equations: number;
  stablehlo: number;
  hlo: number;
}

export const TRAINING_STEP: StressSize = { equations: 7_000, stablehlo: 13_000, hlo: 50_000 };

const OPS = ['mul', 'add', 'sub', 'exp', 'dot_general', 'reduce_sum', 'broadcast_in_dim', 'select_n', 'transpose', 'div', 'max', 'tanh'];
const SHAPES = ['f32[2,32,64]', 'f32[64,64]', 'f32[2,4,32,32]', 'f32[64]', 'f32[512,64]', 'f32[]'];

/** Small repeatable generator: the same model every time. */
function numbers(seed: number): () => number {
  let s = seed;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
}

export function stressModel(size: StressSize = TRAINING_STEP, seed = 7): RawExploration {
  const random = numbers(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const sets: number[][] = [];
  const known = new Map<string, number>();
  const setOf = (pivots: number[]) => {
    const key = pivots.join();
    let s = known.get(key);
    if (s === undefined) {
      s = sets.length;
      sets.push(pivots);
      known.set(key, s);
    }
    return s;
  };
  const op = Array.from({ length: size.equations }, () => OPS[pick(OPS.length)]);
  const shape = Array.from({ length: size.equations }, () => SHAPES[pick(SHAPES.length)]);
  const indent = (text: string, by: number) => ' '.repeat(by) + text;

  const sourceLines = Array.from({ length: 65 }, (_, i) => indent(i ? `h = x @ p['w${i}'] + p['b${i}']` : 'def train_step(p, x):', i ? 4 : 0));
  const bySourceLine: number[][] = sourceLines.map(() => []);
  op.forEach((_, i) => bySourceLine[1 + (i % 64)].push(i));
  const sourceSpans = sourceLines.flatMap((t, i) => (i ? [i, 4, t.length, setOf(bySourceLine[i])] : []));

  const jaxprLines = ['{ lambda ; a:f32[2,32,64]. let'];
  const jaxprSpans: number[] = [];
  op.forEach((name, i) => {
    const text = indent(`v${i}:${shape[i]} = ${name} v${pick(i + 1)} v${pick(i + 1)}`, 4);
    jaxprSpans.push(jaxprLines.length, 4, text.length, setOf([i]));
    jaxprLines.push(text);
  });

  const shloLines = ['module @jit_train_step {'];
  const shloSpans: number[] = [];
  for (let i = 0; i < size.stablehlo; i++) {
    const p = Math.floor((i * size.equations) / size.stablehlo);
    const text = indent(`%${i} = stablehlo.${op[p]} %${pick(i + 1)}, %${pick(i + 1)} : tensor<2x32x64xf32>`, 4);
    shloSpans.push(shloLines.length, 4, text.length, setOf([p]));
    shloLines.push(text);
  }

  const hloLines = ['HloModule jit_train_step, is_scheduled=true'];
  const hloSpans: number[] = [];
  let body: number[] = [];
  for (let i = 0; i < size.hlo; i++) {
    const p = Math.floor((i * size.equations) / size.hlo);
    if (i % 12 === 11) {
      const text = indent(`%fusion.${i} = ${shape[p]}{1,0} fusion(%p.${i - 1}, %p.${i - 2}), kind=kLoop, calls=%fused_computation.${i}, metadata={op_name="jit(train_step)/layer/${op[p]}"}, backend_config={"outer_dimension_partitions":["2"]}`, 2);
      hloSpans.push(hloLines.length, 2, text.length, setOf([...new Set(body)].sort((a, b) => a - b)));
      hloLines.push(text);
      body = [];
    } else {
      body.push(p, (p + pick(5)) % size.equations);
      const text = indent(`%${op[p]}.${i} = ${shape[p]}{1,0} ${op[p].replace(/_.*/, '')}(%p.${pick(i + 1)}, %p.${pick(i + 1)}), metadata={op_name="jit(train_step)/layer/${op[p]}"}`, 2);
      hloSpans.push(hloLines.length, 2, text.length, setOf([p]));
      hloLines.push(text);
    }
  }

  const layers = 12;
  const groups: Record<string, RawGroup> = {};
  const perLayer = Math.floor(size.equations / layers);
  const chain = (label: string, kind: string, make: (i: number) => Partial<RawNode>, n: number, columns: number): RawGroup => {
    const nodes: RawNode[] = Array.from({ length: n }, (_, i) => ({
      id: `n${i}`, label: `fusion.${i}`, sub: SHAPES[i % SHAPES.length], kind: i % 7 === 3 ? 'dot' : i % 11 === 5 ? 'reduce' : 'fusion',
      x: (i % columns) * 190, y: Math.floor(i / columns) * 90, w: 160, h: 40, ...make(i)
    }));
    const edges = nodes.slice(columns).map((node, i) => {
      const from = nodes[i];
      return { from: from.id, to: node.id, points: [from.x + 80, from.y + 40, from.x + 80, from.y + 65, node.x + 80, node.y], label: '16 kB' };
    });
    return { label, kind, nodes, edges, w: columns * 190 - 30, h: Math.ceil(n / columns) * 90 - 50 };
  };
  for (let l = 0; l < layers; l++) {
    groups[`layer${l}`] = chain(`layer ${l}`, 'scope', i => ({ set: setOf([Math.min(size.equations - 1, l * perLayer + i)]) }), Math.min(perLayer, 600), 4);
  }
  groups.root = chain('jit_train_step', 'entry', i => ({
    label: `layer ${i}`, sub: `${perLayer} operations`, kind: 'scope', group: `layer${i}`, set: setOf(Array.from({ length: perLayer }, (_, k) => i * perLayer + k))
  }), layers, 1);

  return {
    schema: 1, title: 'train_step(params, batch)', function: 'train_step', cell: 12,
    header: [
      { k: 'device', v: 'cpu:0' }, { k: 'jaxlib', v: '0.10.2' }, { k: 'arguments', v: 'params: {emb: f32[512,64], layers: 12 × {…}}, batch: i32[2,32]' },
      { k: 'trace', v: '1.7 s', n: 1.7 }, { k: 'lower', v: '0.52 s', n: 0.52 }, { k: 'compile', v: '28 s', n: 28.4 }, { k: 'run', v: '12 ms', n: 0.0123 },
      { k: 'instructions', v: '50,000' }, { k: 'fusions', v: '4,166' }, { k: 'bytes', v: '5.1 MB' }
    ],
    status: { trace: 'done', lower: 'done', compile: 'done', run: 'done' },
    pivots: { kind: op.map(() => 'eqn'), label: op, type: shape },
    sets,
    documents: [
      { id: 'source', title: 'Source', language: 'python', text: sourceLines.join('\n'), first_line: 1, spans: sourceSpans },
      { id: 'jaxpr', title: 'jaxpr', language: 'jaxpr', text: jaxprLines.join('\n'), spans: jaxprSpans },
      { id: 'stablehlo', title: 'StableHLO', language: 'mlir', text: shloLines.join('\n'), spans: shloSpans },
      { id: 'hlo', title: 'HLO', language: 'hlo', text: hloLines.join('\n'), spans: hloSpans }
    ],
    graph: { root: 'root', groups },
    fates: {},
    overlays: {}
  };
}
