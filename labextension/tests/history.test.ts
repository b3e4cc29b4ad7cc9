import { expect, test } from 'vitest';
import { summarize } from '../src/lab/history';
import { golden } from './golden';

test('a finished compilation: times and what came out', () => {
  expect(summarize(golden())).toEqual({
    title: 'selu(x)', cell: '[3]', times: 'trace 2.1 ms · lower 1.4 ms · compile 38.0 ms · run 610 µs', figures: '2 instructions · 1 fusion', state: '', bad: false
  });
});

test('a failed stage is named, and the figures are those there are', () => {
  const s = summarize(golden(m => {
    m.status = { trace: 'done', lower: 'failed', compile: 'pending', run: 'pending' };
    m.facts = { equations: { total: 6 } };
    m.cell = null;
  }));
  expect(s).toMatchObject({ cell: '', times: 'trace 2.1 ms', figures: '6 equations', state: 'lower failed', bad: true });
});
