// Decoded models by their packed text, so that the output and the side panel inflate each only once.

import { decodeEnvelope } from '../model/decode';
import type { Exploration } from '../model/exploration';

const KEPT = 24;
const cache = new Map<string, Promise<Exploration>>();

/** The exploration of a MIME value. */
export function decoded(value: unknown): Promise<Exploration> {
  const z = (value as { z?: unknown } | null)?.z;
  if (typeof z !== 'string') return decodeEnvelope(value);
  const known = cache.get(z);
  if (known) {
    cache.delete(z); // most recent last
    cache.set(z, known);
    return known;
  }
  const fresh = decodeEnvelope(value);
  cache.set(z, fresh);
  if (cache.size > KEPT) cache.delete(cache.keys().next().value!);
  return fresh;
}
