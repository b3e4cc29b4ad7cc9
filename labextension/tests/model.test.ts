import { gzipSync } from 'node:zlib';
import { describe as suite, expect, test } from 'vitest';
import { decodeBytes, decodeEnvelope } from '../src/model/decode';
import { describe } from '../src/model/describe';
import { TextDocument } from '../src/model/document';
import { Exploration } from '../src/model/exploration';
import { count, elapsed, plural, seconds } from '../src/model/format';
import { groupBy, LinkIndex } from '../src/model/links';
import { contains, firstMatchFrom, search } from '../src/model/search';
import { addressOf, Item, itemAt, linkName, readLink, setsOf, writeLink } from '../src/model/selection';
import { absence, canRetry, isRunning, plainEntries, stages } from '../src/model/status';
import { SchemaError, validate } from '../src/model/validate';
import { golden, goldenRaw } from './golden';
import { stressModel } from './stress';

const doc = (text: string, spans: number[] = []) => new TextDocument({ id: 'd', title: 'D', language: 'text', text, spans });
const envelope = (model: unknown) => ({ schema: 1, title: 't', text: 's', z: gzipSync(JSON.stringify(model)).toString('base64') });

/** The item of a pane whose text contains `word`, on the first line that does. */
function spanOf(model: Exploration, pane: string, word: string): Item {
  const index = model.paneIndex(pane);
  const d = model.panes[index].document!;
  for (let line = 0; line < d.lineCount; line++) {
    const col = d.lineText(line).indexOf(word);
    if (col >= 0) return { pane: index, kind: 'span', index: d.spanAt(line, col) };
  }
  throw new Error(`no ${word}`);
}

/** Line numbers lit in each pane when an item is hot. */
function litLines(model: Exploration, item: Item): Record<string, number[]> {
  const { hits } = model.links.light(model.links.pivotsOf(setsOf(model, item)), item.pane);
  return Object.fromEntries(model.panes.filter(p => p.document).map((p, i) => [p.id, [...new Set([...hits[i]].map(s => p.document!.line[s] + 1))]]));
}

suite('decoding', () => {
  test('an envelope gives the model that was put in', async () => {
    const model = await decodeEnvelope(envelope(goldenRaw()));
    expect(model.title).toBe('selu(x)');
    expect(model.panes.map(p => p.id)).toEqual(['source', 'jaxpr', 'stablehlo', 'hlo', 'graph']);
  });

  test('a newer schema is refused with what to do', async () => {
    await expect(decodeEnvelope({ ...envelope(goldenRaw()), schema: 2 })).rejects.toThrow(
      'This view reads exploration schema 1; the output has 2. Update jaxnb to read it.');
    await expect(decodeEnvelope({ schema: 0, z: '' })).rejects.toThrow('Run the cell again to make it anew.');
  });

  test.each([['not base64', '%%%'], ['not gzip', btoa('hello')], ['not JSON', gzipSync('{').toString('base64')]])('data that is %s is called damaged', async (_, z) => {
    await expect(decodeEnvelope({ schema: 1, z })).rejects.toThrow(/^The saved view is damaged and cannot be read/);
  });

  test('bytes of a live message decode as well', async () => {
    expect((await decodeBytes(new Uint8Array(gzipSync(JSON.stringify(goldenRaw()))))).cell).toBe(3);
  });
});

suite('validation', () => {
  const broken: [string, (m: Record<string, any>) => void, string][] = [
    ['no title', m => { delete m.title; }, 'exploration model: title is not a string'],
    ['an unknown stage state', m => { m.status.run = 'maybe'; }, 'exploration model: status.run is not one of pending, running, done, failed, cancelled'],
    ['a pivot out of range', m => { m.sets[0] = [7]; }, 'exploration model: sets[0] is not a list of pivot numbers below 7'],
    ['a span of an unknown set', m => { m.documents[0].spans[3] = 99; }, 'exploration model: documents.source.spans[0…3] is not a line, two columns in order and the number of a set'],
    ['a node that opens nothing', m => { m.graph.groups.g0.nodes[1].group = 'g9'; }, 'exploration model: graph node fusion.group is not the name of a group']
  ];
  test.each(broken)('%s is named', (_, change, message) => {
    const raw = goldenRaw() as unknown as Record<string, unknown>;
    change(raw);
    expect(() => validate(raw)).toThrow(new SchemaError(message));
  });

  test('fields of a later minor form are passed over', () => {
    expect(() => validate({ ...goldenRaw(), novelty: 1 })).not.toThrow();
  });
});

suite('documents', () => {
  test('lines and offsets agree', () => {
    const d = doc('ab\n\ncde\n');
    expect(d.lineCount).toBe(3);
    expect([0, 1, 2].map(i => d.lineText(i))).toEqual(['ab', '', 'cde']);
    expect([0, 2, 3, 4, 6].map(o => d.lineAt(o))).toEqual([0, 0, 1, 2, 2]);
    expect(d.maxColumns).toBe(3);
  });

  test('an empty document has one empty line', () => {
    expect([doc('').lineCount, doc('').lineText(0)]).toEqual([1, '']);
  });

  test('the inner span wins, whatever the order they came in', () => {
    const d = doc('f(g(x))', [0, 2, 6, 1, 0, 0, 7, 0, 0, 4, 5, 2]);
    expect([0, 3, 4, 5].map(c => d.set[d.spanAt(0, c)])).toEqual([0, 1, 2, 1]);
    expect(d.spanAt(0, 7)).toBe(-1);
  });
});

suite('links', () => {
  test('rows list what has a value', () => {
    const rows = groupBy(Int32Array.of(1, -1, 0, 1), 2);
    expect([...rows.start]).toEqual([0, 1, 3]);
    expect([...rows.items]).toEqual([2, 0, 3]);
  });

  test('an equation lights its counterparts in every other pane', () => {
    const model = golden();
    expect(litLines(model, spanOf(model, 'jaxpr', 'exp a'))).toEqual({ source: [2], jaxpr: [], stablehlo: [6], hlo: [8, 23] });
  });

  test('it works from the optimised program back, and its own pane stays dark', () => {
    const model = golden();
    expect(litLines(model, spanOf(model, 'hlo', 'ROOT %broadcast'))).toEqual({
      source: [2], jaxpr: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], stablehlo: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20], hlo: []
    });
  });

  test('a graph node lights text, and text lights nodes of every group', () => {
    const model = golden();
    const graph = model.panes[4].graph!;
    const node = graph.nodes.find(n => n.id === 'exp.0')!;
    expect(litLines(model, { pane: 4, kind: 'node', index: node.index }).jaxpr).toEqual([3]);
    const back = model.links.light([1], 1).hits[4];
    expect([...back].map(i => graph.nodes[i].id).sort()).toEqual(['exp.0', 'fusion']);
  });

  test('sets that only share a pivot meet, sets that do not stay apart', () => {
    const index = new LinkIndex(3, [[0, 1], [1, 2], [2], []], [Int32Array.of(0, 1, 2, 3), Int32Array.of(2, 1, 0, -1)]);
    const { hits, sets } = index.light([0, 1], 0);
    expect([...hits[0]]).toEqual([]);
    expect([...hits[1]]).toEqual([1, 2]);
    expect([...sets]).toEqual([1, 1, 0, 0]);
  });

  test('a training step lights within 50 ms', () => {
    const model = new Exploration(stressModel());
    expect(model.panes.slice(1, 4).map(p => p.document!.line.length)).toEqual([7000, 13000, 50000]);
    let slowest = 0;
    for (let i = 0; i < 40; i++) {
      const everything = i === 39 ? Array.from({ length: 7000 }, (_, p) => p) : setsOf(model, { pane: 0, kind: 'span', index: i });
      const start = performance.now();
      model.links.light(i === 39 ? everything : model.links.pivotsOf(everything), 0);
      slowest = Math.max(slowest, performance.now() - start);
    }
    expect(slowest).toBeLessThan(50);
  });
});

suite('selections', () => {
  test('every item has an address that leads back to it', () => {
    const model = golden();
    const items: Item[] = [spanOf(model, 'hlo', '%mul.2'), { pane: 2, kind: 'line', index: 4 }, { pane: 4, kind: 'node', index: 5 }];
    for (const item of items) expect(itemAt(model, addressOf(model, item))).toEqual(item);
    expect(addressOf(model, items[0])).toBe('hlo/10/2-93');
  });

  test.each(['', 'nowhere/1', 'hlo', 'hlo/999', 'hlo/3/0-1', 'graph/g0/none', 'jaxpr/x'])('%j leads nowhere', address => {
    expect(itemAt(golden(), address)).toBeNull();
  });

  test('a link keeps names with any character', () => {
    const link = { name: 'f(a & "b"=#) <script>@3', at: 'graph/g0/a%20b', panes: ['source', 'hlo'] };
    expect(readLink(`#${writeLink(link)}`)).toEqual(link);
    expect(writeLink(link)).not.toMatch(/[<># "]/);
  });

  test('other fragments are not ours', () => {
    expect([readLink(''), readLink('#Heading-1'), readLink('#jaxnb=%')]).toEqual([null, null, null]);
  });

  test('the cell tells two explorations of one call apart', () => {
    expect(linkName(golden())).toBe('selu(x)@3');
    expect(linkName(golden(m => { m.cell = null; }))).toBe('selu(x)');
  });

  test('a line stands for all of its spans', () => {
    const model = golden();
    expect(model.links.pivotsOf(setsOf(model, { pane: 0, kind: 'line', index: 1 }))).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

suite('search', () => {
  const d = doc('Mul mul\nadd\nmul');
  test('small letters match any case, a capital matches itself', () => {
    expect(search(d, 'mul').at).toEqual([0, 4, 12]);
    expect(search(d, 'Mul').at).toEqual([0]);
    expect([...search(d, 'mul').lines]).toEqual([0, 2]);
    expect([contains('Exp', 'exp'), contains('exp', 'Exp')]).toEqual([true, false]);
  });

  test('nothing is found for nothing, and a limit is admitted', () => {
    expect(search(d, '').at).toEqual([]);
    expect(search(d, 'mul', 2)).toMatchObject({ at: [0, 4], more: true });
  });

  test('letters that change length in lower case do not shift columns', () => {
    expect(search(doc('İİ x'), 'x').at).toEqual([3]);
  });

  test('the search goes on from a place', () => {
    const m = search(d, 'mul');
    expect([0, 1, 5, 13].map(o => firstMatchFrom(m, o))).toEqual([0, 1, 2, 3]);
  });
});

suite('words', () => {
  test('numbers read as a person would write them', () => {
    expect([0.00000412, 0.00061, 0.0021, 0.038, 0.9996, 1.7, 28.4, 125].map(seconds)).toEqual(
      ['4.1 µs', '610 µs', '2.1 ms', '38.0 ms', '1.0 s', '1.7 s', '28.4 s', '2 min 05 s']);
    expect([count(50000), plural(1, 'line'), plural(1200, 'line'), elapsed(7.9), elapsed(63)]).toEqual(
      ['50,000', '1 line', '1,200 lines', '7 s', '1 min 03 s']);
  });

  test('an equation is described by name, kind, type and source line', () => {
    const model = golden();
    const item = spanOf(model, 'jaxpr', 'exp a');
    const light = model.links.light([1], item.pane);
    expect(describe(model, item, light, () => true)).toEqual({ label: 'exp', details: ['equation', 'f32[1000000]', 'line 2'], fates: [] });
  });

  test('a fusion lists what went into it', () => {
    const model = golden();
    const item = spanOf(model, 'hlo', 'ROOT %broadcast');
    const light = model.links.light([0, 1, 2, 3, 4, 5], item.pane);
    expect(describe(model, item, light, () => true)).toEqual({ label: '6 operations', details: ['gt, exp, mul ×2 and 2 more', 'line 2'], fates: [] });
  });

  test('a pane without a counterpart says the fate, unless it is closed', () => {
    const model = golden(m => {
      m.sets.push([]);
      const hlo = m.documents[3];
      for (let i = 3; i < hlo.spans.length; i += 4) if (m.sets[hlo.spans[i]].includes(1)) hlo.spans[i] = m.sets.length - 1;
      m.fates = { 1: { kind: 'merged', into: [2], text: 'merged into mul (line 2)' } };
    });
    const item = spanOf(model, 'jaxpr', 'exp a');
    const light = model.links.light([1], item.pane);
    expect(describe(model, item, light, () => true).fates).toEqual(['not in HLO: merged into mul (line 2)']);
    expect(describe(model, item, light, p => p !== 3).fates).toEqual([]);
  });

  test('stages show what they took, the running one its clock', () => {
    const model = golden(m => {
      m.status = { trace: 'done', lower: 'done', compile: 'running', run: 'pending', since: { compile: 100 } };
    });
    const live = stages(model.status, model.header, { now: 112.5, drawn: 0 });
    expect(live.map(s => s.time)).toEqual(['2.1 ms', '1.4 ms', '12 s', '']);
    expect(absence(live, 'compile')).toBe('Compiling … 12 s');
    expect(absence(live, 'run')).toBe('Waiting …');
    const saved = stages(model.status, model.header, null);
    expect(absence(saved, 'compile')).toBe('Compiling had not finished when this was saved.');
    expect([isRunning(model.status), canRetry(model.status)]).toEqual([true, false]);
    expect(plainEntries(model.header).map(e => e.k)).toEqual(['device', 'jaxlib', 'arguments', 'result', 'instructions', 'fusions', 'bytes']);
  });

  test('a stage after a failed one says which', () => {
    const { status, header } = golden(m => { m.status = { trace: 'done', lower: 'failed', compile: 'pending', run: 'pending' }; });
    expect(absence(stages(status, header, null), 'compile')).toBe('Not reached: lowering failed.');
    expect(canRetry(status)).toBe(true);
  });
});
