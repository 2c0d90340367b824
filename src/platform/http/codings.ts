import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { heldBytes } from '../../lib/held-bytes.ts';

/** Codings of a body besides `identity` (RFC 9110 §8.4.1), strongest first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The strongest of these codings that the request takes; null: it gets the body as it is. */
export function codingFor(request: Pick<FastifyRequest, 'headers'>, has: (coding: Coding) => boolean): Coding | null {
  const wanted = new Negotiator(request).encodings([...CODINGS, 'identity']);
  return CODINGS.find((coding) => wanted.includes(coding) && has(coding)) ?? null;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** 14 kB of a page take some 0.5 ms beside the main thread at this quality, and five times as long at the best, for a tenth less. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };

const compress = async (coding: Coding, bytes: Buffer): Promise<Buffer> =>
  heldBytes(await (coding === 'br' ? brotli(bytes, { params: QUALITY }) : zip(bytes)));

/** A shorter body fits in one packet as it is. Bytes. */
const SHORTEST = 1000;
const TEXT = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:xml|json)\b)/;

/** Whether a body of this type and length gets shorter. */
export const isWorthCoding = (type: string, length: number): boolean => length >= SHORTEST && TEXT.test(type);

const coded = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

/** The body in this coding, made once for as long as the body is held. Of those only which are held for longer than a reply, and not changed. */
export function inCoding(coding: Coding, body: Buffer, make = compress): Promise<Buffer> {
  let codings = coded.get(body);
  if (!codings) coded.set(body, (codings = new Map()));
  const known = codings.get(coding);
  if (known) return known;
  const bytes = make(coding, body);
  codings.set(coding, bytes);
  // What went wrong once (no memory) is tried again by the next one who asks.
  bytes.catch(() => codings.delete(coding));
  return bytes;
}
