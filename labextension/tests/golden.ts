import { readFileSync } from 'node:fs';
import { Exploration } from '../src/model/exploration';
import type { RawExploration } from '../src/model/schema';
import { validate } from '../src/model/validate';

const FILE = new URL('../../tests/golden/exploration_small.json', import.meta.url);

/** The small exploration that Python and TypeScript tests share; a fresh copy each time. */
export function goldenRaw(): RawExploration {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

export function golden(change: (raw: RawExploration) => void = () => undefined): Exploration {
  const raw = goldenRaw();
  change(raw);
  return new Exploration(validate(raw));
}
