import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { validate } from '../src/model/validate';
import { goldenRaw } from './golden';
import { stressModel } from './stress';

const schema = JSON.parse(readFileSync(new URL('../schema/exploration.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false });
const check = ajv.compile(schema);

/** Paths and messages of what is wrong. */
const problems = (value: unknown) => (check(value) ? [] : check.errors!.map(e => `${e.instancePath} ${e.message}`));

test('the golden and the made-up model follow the written schema', () => {
  expect(problems(goldenRaw())).toEqual([]);
  expect(problems(stressModel({ equations: 60, stablehlo: 90, hlo: 240 }))).toEqual([]);
});

test('an envelope follows its own part of it', () => {
  const envelope = ajv.compile({ $ref: 'urn:jaxnb:exploration:1#/$defs/envelope' });
  expect(envelope({ schema: 1, title: 't', text: '', z: 'H4sI+/8=' })).toBe(true);
  expect(envelope({ schema: 2, title: 't', text: '', z: 'H4sI' })).toBe(false);
});

test.each([
  ['another version', (m: any) => { m.schema = 2; }],
  ['an unknown state', (m: any) => { m.status.run = 'maybe'; }],
  ['a negative span', (m: any) => { m.documents[0].spans[0] = -1; }],
  ['a document without text', (m: any) => { delete m.documents[0].text; }]
])('the written schema and the reader both refuse %s', (_, change) => {
  const raw = goldenRaw();
  change(raw);
  expect(problems(raw)).not.toEqual([]);
  expect(() => validate(raw)).toThrow();
});
