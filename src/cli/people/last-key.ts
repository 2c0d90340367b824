import type { ApiKey } from '../../../client/src/index.ts';
import { interruption } from '../interrupt.ts';
import { systemClock } from '../../lib/clock.ts';
import { localTime } from '../output/times.ts';

/** Keys, newest first, among which the one that is meant is looked for: an installation with more is not read through for a warning. */
const LOOKED_AT = 1000;

/** Those that the caller sees, or of them those of one account. */
type KeysOf = (accountId?: string) => AsyncIterable<ApiKey>;

const isValid = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > systemClock.now());

/** So many of them. */
async function* first(keys: AsyncIterable<ApiKey>): AsyncGenerator<ApiKey> {
  let seen = 0;
  for await (const key of keys) {
    yield key;
    if (++seen === LOOKED_AT) return;
  }
}

const unknown = (why: string): string => `Whether its account has another valid key was not found out: ${why}.`;

async function find(keysOf: KeysOf, id: string): Promise<string | null> {
  let key: ApiKey | undefined;
  let seen = 0;
  for await (const one of first(keysOf())) {
    seen += 1;
    if (one.id !== id) continue;
    key = one;
    break;
  }
  if (key === undefined)
    return seen < LOOKED_AT ? null : unknown(`it is not among the newest ${LOOKED_AT} (--account)`);
  if (!isValid(key)) return null;
  const ends: string[] = [];
  for await (const other of first(keysOf(key.accountId))) {
    if (other.id === id || !isValid(other)) continue;
    if (other.expiresAt === null) return null;
    ends.push(other.expiresAt);
  }
  const last = ends.toSorted().at(-1);
  const from = last === undefined ? '' : ` after ${localTime(last)}`;
  return `The account has no other valid key${from}: what is for its endpoints is then held until it has one.`;
}

/**
 * A sentence about what the end of a key leaves its account without; null when the account has another that stays. Where that cannot be
 * asked it says so: a key that leaked must end all the same.
 */
export async function leftWithout(keysOf: KeysOf, id: string): Promise<string | null> {
  try {
    return await find(keysOf, id);
  } catch (error) {
    if (interruption.aborted || !(error instanceof Error)) throw error;
    return unknown(error.message);
  }
}
