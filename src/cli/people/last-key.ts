import type { ApiKey } from '../../../client/src/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { localTime } from '../output/times.ts';

/** Keys, newest first, among which the one that is meant is looked for: an installation with more is not read through for a warning. */
const LOOKED_AT = 1000;

/** Those that the caller sees, or of them those of one account. */
type KeysOf = (accountId?: string) => AsyncIterable<ApiKey>;

const isValid = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > systemClock.now());

async function find(keys: AsyncIterable<ApiKey>, id: string): Promise<ApiKey | undefined> {
  let seen = 0;
  for await (const key of keys) {
    if (key.id === id) return key;
    seen += 1;
    if (seen === LOOKED_AT) break;
  }
  return undefined;
}

/** A sentence about what the end of a key leaves its account without; null when the account has another that stays. */
export async function leftWithout(keysOf: KeysOf, id: string): Promise<string | null> {
  const key = await find(keysOf(), id);
  if (key === undefined || !isValid(key)) return null;
  const ends: string[] = [];
  for await (const other of keysOf(key.accountId)) {
    if (other.id === id || !isValid(other)) continue;
    if (other.expiresAt === null) return null;
    ends.push(other.expiresAt);
  }
  const last = ends.toSorted().at(-1);
  const from = last === undefined ? '' : ` after ${localTime(last)}`;
  return `The account has no other valid key${from}: what is for its endpoints is then held until it has one.`;
}
