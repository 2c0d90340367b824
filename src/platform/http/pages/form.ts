import { isUtf8 } from 'node:buffer';
import { invalid } from '../../../contracts/errors.ts';
import type { Fields } from './page.ts';

/** Largest form: a comment of 4,000 characters of four bytes, each written as `%F0`, and other fields. Bytes. */
export const FORM_LIMIT = 65_536;

/** The first value of each name. */
export const firstOfEach = (pairs: Iterable<readonly [string, string | readonly string[] | undefined]>): Fields => {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined && !fields.has(name)) fields.set(name, first);
  }
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(fields));
};

/**
 * The fields of a form as browsers send it (`application/x-www-form-urlencoded`), line ends as `\n`. VALIDATION_ERROR for what
 * is not UTF-8 or holds U+0000, which PostgreSQL cannot store.
 */
export function fieldsOf(bytes: Buffer): Fields {
  if (!isUtf8(bytes)) throw invalid({ path: 'body', message: 'is not UTF-8' });
  const pairs = [...new URLSearchParams(bytes.toString())].map(
    ([name, value]) => [name, value.replaceAll('\r\n', '\n')] as const,
  );
  if (pairs.some((pair) => pair.join('').includes('\u0000'))) {
    throw invalid({ path: 'body', message: 'must not hold the character U+0000' });
  }
  return firstOfEach(pairs);
}
