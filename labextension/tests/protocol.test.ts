import { expect, test } from 'vitest';
import { isModelMessage, ModelAssembler } from '../src/protocol';

const bytes = (...v: number[]) => Uint8Array.from(v);

test('a model in one buffer is whole at once, also as a view into a larger one', () => {
  const view = new DataView(bytes(9, 1, 2, 9).buffer, 1, 2);
  expect(new ModelAssembler().add({ kind: 'model' }, view)).toEqual(bytes(1, 2));
});

test('parts may arrive in any order', () => {
  const a = new ModelAssembler();
  expect(a.add({ kind: 'model', id: 1, part: 1, parts: 2 }, bytes(3))).toBeNull();
  expect(a.add({ kind: 'model', id: 1, part: 0, parts: 2 }, bytes(1, 2))).toEqual(bytes(1, 2, 3));
});

test('a newer model drops an incomplete older one', () => {
  const a = new ModelAssembler();
  a.add({ kind: 'model', id: 1, part: 0, parts: 2 }, bytes(1));
  expect(a.add({ kind: 'model', id: 2, part: 1, parts: 2 }, bytes(4))).toBeNull();
  expect(a.add({ kind: 'model', id: 2, part: 0, parts: 2 }, bytes(3))).toEqual(bytes(3, 4));
});

test('the same number of parts twice is two models', () => {
  const a = new ModelAssembler();
  expect(a.add({ kind: 'model' }, bytes(1))).toEqual(bytes(1));
  expect(a.add({ kind: 'model' }, bytes(2))).toEqual(bytes(2));
});

test('other messages are not models', () => {
  expect([isModelMessage({ kind: 'model' }), isModelMessage({ kind: 'note' }), isModelMessage(null), isModelMessage('model')]).toEqual([true, false, false, false]);
});
