import { createHash } from 'node:crypto';

/** The UTF-8 of a text as a string with one character per byte: Node writes such a string together with the head. */
export const octets = (text: string): string => Buffer.from(text).toString('latin1');

/** A strong validator (RFC 9110 §8.8.1) of the exact bytes. */
export const strongEtag = (bytes: string | Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

/**
 * Whether a header of entity tags (`*`, or a comma-separated list) names this tag. `weak` compares as If-None-Match does
 * (RFC 9110 §8.8.3.2), else as If-Match does, where a weak tag never matches.
 */
export function etagMatches(header: string | undefined, etag: string, weak: boolean): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => {
    const tag = part.trim();
    return tag === etag || (weak && tag.startsWith('W/') && tag.slice(2) === etag);
  });
}
