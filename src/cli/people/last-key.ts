import type { ApiKey, CallOptions } from '../../../client/src/index.ts';
import { currentUrl } from '../connection/connect.ts';
import { serviceNow } from '../connection/service-clock.ts';
import { tell } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { printable } from '../output/printable.ts';
import { localTime } from '../output/times.ts';

/** Keys, newest first, among which the one that is meant is looked for: an installation with more is not read through for a warning. */
const LOOKED_AT = 1000;

/** How long is looked for a warning: meanwhile a key that leaked is valid. Milliseconds. */
const LOOKED_FOR_MS = 5000;

/** Those that the caller sees, or of them those of one account. */
export type KeysOf = (accountId: string | undefined, call: CallOptions) => AsyncIterable<ApiKey>;

export interface Ending {
  id: string;
  /** Whose key it is meant to be. It may be another's: who may end every key ends that one. */
  accountId?: string | undefined;
}

const isValid = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > serviceNow());

/** So many of them. */
async function* first(keys: AsyncIterable<ApiKey>): AsyncGenerator<ApiKey> {
  let seen = 0;
  for await (const key of keys) {
    yield key;
    if (++seen === LOOKED_AT) return;
  }
}

const unknown = (why: string): string => `Whether its account has another valid key was not found out: ${why}`;

/** The key; null where it is not among so many of them; undefined where it is none of them. */
async function among(keys: AsyncIterable<ApiKey>, id: string): Promise<ApiKey | null | undefined> {
  let seen = 0;
  for await (const key of first(keys)) {
    if (key.id === id) return key;
    seen += 1;
  }
  return seen < LOOKED_AT ? undefined : null;
}

/** What its account is without once this valid key has ended; null: it has another that stays. */
async function without(keys: AsyncIterable<ApiKey>, id: string): Promise<string | null> {
  const ends: string[] = [];
  for await (const other of first(keys)) {
    if (other.id === id || !isValid(other)) continue;
    if (other.expiresAt === null) return null;
    ends.push(other.expiresAt);
  }
  const last = ends.toSorted().at(-1);
  const from = last === undefined ? '' : ` after ${localTime(last)}`;
  return `The account has no other valid key${from}: what is for its endpoints is then held until it has one.`;
}

async function find(list: (accountId?: string) => AsyncIterable<ApiKey>, ending: Ending): Promise<string | null> {
  const { id, accountId } = ending;
  const own = accountId === undefined ? undefined : await among(list(accountId), id);
  const key = own ?? (await among(list(), id));
  if (key === undefined) return null;
  if (key === null) return unknown(`it is not among the newest ${LOOKED_AT} (--account).`);
  const whose = `${printable(key.accountName)} (${key.accountId})`;
  const strange =
    accountId === undefined || accountId === key.accountId
      ? []
      : [`It is a key of ${whose}, not of the account that --account names.`];
  const left = isValid(key) ? await without(list(key.accountId), id) : null;
  const said = [...strange, ...(left === null ? [] : [left])];
  return said.length === 0 ? null : said.join(' ');
}

/**
 * Sentences about what the end of a key leaves its account without, and about an account that is not the one that was meant; null when there
 * is nothing to say. Where that cannot be asked, or not soon, it says so: a key that leaked must end all the same.
 */
export async function leftWithout(keysOf: KeysOf, ending: Ending, withinMs = LOOKED_FOR_MS): Promise<string | null> {
  const late = AbortSignal.timeout(withinMs);
  const call = { maxRetries: 0, signal: AbortSignal.any([interruption, late]) };
  try {
    return await find((accountId) => keysOf(accountId, call), ending);
  } catch (error) {
    if (interruption.aborted || !(error instanceof Error)) throw error;
    if (late.aborted) return unknown('no reply in time.');
    return unknown(tell(error, currentUrl()).line ?? printable(error.message));
  }
}
