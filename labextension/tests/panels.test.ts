import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe as suite, expect, test } from 'vitest';
import { diffEntries, entryOf } from '../src/layout/diffrows';
import { describe } from '../src/model/describe';
import { Exploration } from '../src/model/exploration';
import type { RawDiff, RawExploration } from '../src/model/schema';
import { addressOf, Item, itemAt, setsOf } from '../src/model/selection';
import { SchemaError, validate } from '../src/model/validate';
import { golden as without } from './golden';

const raw = (): RawExploration => JSON.parse(readFileSync(new URL('../../tests/golden/exploration_panels.json', import.meta.url), 'utf8'));
const golden = () => new Exploration(validate(raw()));

test('the golden panels follow the written schema', () => {
  const schema = JSON.parse(readFileSync(new URL('../schema/exploration.schema.json', import.meta.url), 'utf8'));
  const check = new Ajv2020({ strict: false }).compile(schema);
  expect(check(raw()) ? [] : check.errors).toEqual([]);
  const broken = raw();
  (broken.panels![0] as { kind: string }).kind = 'pie';
  expect(check(broken)).toBe(false);
});

suite('panes', () => {
  test('panels come before the texts, and have an empty place as long as they wait', () => {
    const model = golden();
    const ids = model.panes.map(p => p.id);
    expect(ids.slice(0, 3)).toEqual(['problems', 'summary', 'executed']);
    expect(ids.slice(-5)).toEqual(['source', 'jaxpr', 'stablehlo', 'hlo', 'graph']);
    expect(model.panes.find(p => p.id === 'later')!.panel).toBeUndefined();
  });

  test('a model without panels has the panes it had', () => {
    expect(without().panes.map(p => p.id)).toEqual(['source', 'jaxpr', 'stablehlo', 'hlo', 'graph']);
  });

  test('a set that does not exist is named', () => {
    const broken = raw();
    (broken.panels!.find(p => p.kind === 'diff') as RawDiff).rows[0][4] = 99;
    expect(() => validate(broken)).toThrow(new SchemaError('exploration model: panels.diff-jaxpr is not linked by numbers of sets'));
  });
});

suite('items', () => {
  const rowOf = (model: Exploration, pane: string, text: string): Item => {
    const index = model.paneIndex(pane);
    const panel = model.panes[index].panel!;
    return { pane: index, kind: 'item', index: Array.from({ length: panel.count }, (_, i) => i).find(i => panel.textOf(i).includes(text))! };
  };

  test('a row of a difference lights its counterparts in the texts', () => {
    const model = golden();
    const item = rowOf(model, 'diff-jaxpr', 'mul a b');
    const { hits } = model.links.light(model.links.pivotsOf(setsOf(model, item)), item.pane);
    const lit = model.panes.filter((_, i) => hits[i].length).map(p => p.id);
    expect(lit).toContain('jaxpr');
    expect(lit).toContain('source');
    expect(lit).toContain('diff-stablehlo');
  });

  test('an item has an address that leads back to it', () => {
    const model = golden();
    const item = rowOf(model, 'diff-jaxpr', 'add 1:i32[] 1:i32[]');
    expect(addressOf(model, item)).toBe('diff-jaxpr/1');
    expect(itemAt(model, 'diff-jaxpr/1')).toEqual(item);
    expect(itemAt(model, 'diff-jaxpr/99')).toBeNull();
  });

  test('the status line says what was changed', () => {
    const model = golden();
    const item = rowOf(model, 'diff-jaxpr', 'mul a b');
    const lighting = model.links.light(model.links.pivotsOf(setsOf(model, item)), item.pane);
    expect(describe(model, item, lighting, () => true).label).toBe('mul');
    expect(describe(model, item, lighting, () => true).details[0]).toBe('operand 2 was 2:i32[], now add');
  });

  test('panels have a size in words and a text to copy', () => {
    const model = golden();
    const panel = (id: string) => model.panes.find(p => p.id === id)!.panel!;
    expect(panel('diff-jaxpr').size).toBe('1 changed, 1 added');
    expect(panel('executed').size).toBe('1 row');
    expect(panel('diff-jaxpr').text).toBe('  a:i32[]\n+ b:i32[] = add 1:i32[] 1:i32[]\n~ b:i32[] = mul a 2:i32[]\n  c:i32[] = mul a b\n    (operand 2 was 2:i32[], now add)\n  in (c)');
    expect(panel('executed').text).toContain('1\tadd\ti32[]\t4 B\tline 2: y = jnp.add(1, 1)\nexecuted on cpu:0');
    expect(panel('steps').text).toBe('trace\ntime 1.5 ms\nA jaxpr.\nlower\nmodule {}\nFour steps.');
  });
});

suite('folding', () => {
  const kept = (n: number) => Array<number>(n).fill(0);

  test('long runs of kept rows are folded, with some context', () => {
    const marks = [...kept(10), 1, ...kept(20), 2, ...kept(2)];
    expect(diffEntries(marks, new Set())).toEqual([
      { from: 0, to: 7 }, { row: 7 }, { row: 8 }, { row: 9 }, { row: 10 }, { row: 11 }, { row: 12 }, { row: 13 },
      { from: 14, to: 28 }, { row: 28 }, { row: 29 }, { row: 30 }, { row: 31 }, { row: 32 }, { row: 33 }
    ]);
  });

  test('what was unfolded stays so, and where nothing changed nothing is folded', () => {
    expect(diffEntries([...kept(10), 1], new Set([0])).length).toBe(11);
    expect(diffEntries(kept(50), new Set()).length).toBe(50);
  });

  test('a row is found in its own entry, or in the run it is folded into', () => {
    const entries = diffEntries([...kept(10), 1, ...kept(20)], new Set());
    expect(entries[entryOf(entries, 3)]).toEqual({ from: 0, to: 7 });
    expect(entries[entryOf(entries, 10)]).toEqual({ row: 10 });
    expect(entries[entryOf(entries, 30)]).toEqual({ from: 14, to: 31 });
  });
});
