// From what travels (base64 or bytes of gzip) to a checked, indexed exploration.

import { Exploration } from './exploration';
import { checkVersion, SchemaError, validate } from './validate';

/** Bytes of a base64 text. */
export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Text of gzip bytes, inflated by the browser. */
export async function inflate(bytes: Uint8Array): Promise<string> {
  if (typeof DecompressionStream === 'undefined') {
    throw new SchemaError('This browser cannot inflate the view (it has no DecompressionStream).');
  }
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/** The exploration in gzip bytes. */
export async function decodeBytes(bytes: Uint8Array): Promise<Exploration> {
  let json: unknown;
  try {
    json = JSON.parse(await inflate(bytes));
  } catch (e) {
    if (e instanceof SchemaError) throw e;
    throw new SchemaError(`The saved view is damaged and cannot be read (${e instanceof Error ? e.message : String(e)}).`);
  }
  return new Exploration(validate(json));
}

/** The exploration in a MIME value. */
export async function decodeEnvelope(value: unknown): Promise<Exploration> {
  checkVersion(value);
  if (typeof value.z !== 'string') throw new SchemaError('exploration: z is not a string');
  let bytes: Uint8Array;
  try {
    bytes = bytesOfBase64(value.z);
  } catch {
    throw new SchemaError('The saved view is damaged and cannot be read (z is not base64).');
  }
  return decodeBytes(bytes);
}
