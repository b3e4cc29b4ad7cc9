// Decoded models by their packed text, so that the output and the side panel inflate a model only once.

import { decodeEnvelope } from '../model/decode';
import type { Exploration } from '../model/exploration';

/** Characters of packed text whose models are kept; the latest one is kept whatever its size. */
const BUDGET = 4_000_000;
const cache = new Map<string, Promise<Exploration>>();

/** The packed text of a MIME value, or an empty string. */
export function packed(value: unknown): string {
  const z = (value as { z?: unknown } | null)?.z;
  return typeof z === 'string' ? z : '';
}

/** The exploration of a MIME value. */
export function decoded(value: unknown): Promise<Exploration> {
  const z = packed(value);
  const known = cache.get(z) ?? decodeEnvelope(value);
  cache.delete(z); // most recent last
  cache.set(z, known);
  let total = 0;
  for (const key of cache.keys()) total += key.length;
  for (const key of cache.keys()) {
    if (total <= BUDGET || key === z) break;
    cache.delete(key);
    total -= key.length;
  }
  return known;
}
