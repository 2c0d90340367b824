import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KeyCaller } from '../../../contracts/caller.ts';
import { credentialHash, isApiKey, signingSecretBytes } from '../../../lib/credentials.ts';
import { afterCommit, bumpVersion, readVersions, type Trx } from '../../../platform/db/index.ts';
import type { AccountsPlatform } from '../platform.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { followVersion } from '../../../lib/follow-version.ts';
import { secretContext } from './issue-key.ts';
import { findChangedKeys, findKeyOwner, findSecrets, type KeyOwner, type SealedSecret } from './store.ts';

/** Version and bus topic of everything that is cached about API keys. */
const TOPIC = 'credentials';
/** Entries; each takes about 1 kB. */
const KEYS = 20_000;
const ACCOUNTS = 50_000;
/** What has expired by a clock that is ahead by no more than this is kept all the same, and signs again once the clock is right; then it is forgotten. */
const CLOCK_MOST_AHEAD_MS = 86_400_000;
const UNREADABLE = 'this master key does not open the signing secret of a key: nothing is signed with it';
const EXPIRED =
  'the last key of an account that could be used to sign has expired: what is for its endpoints is held until it has one';
/** Keys whose hash need not be computed per request (with the checksum half of the time of a request's admission, by a profile). */
const HASHES = 1000;

/** A secret that signs deliveries of an account. */
export interface SigningSecret {
  keyId: string;
  /** `whsec_…` */
  secret: string;
  /** HMAC key of X-Service-Signature: the bytes of the whole text, as Stripe's library takes it. */
  key: KeyObject;
  /** HMAC key of the Standard Webhooks headers: the decoded part after `whsec_`. */
  rawKey: KeyObject;
  /** When the overlap of a rotation ends. */
  expiresAt: Date | null;
}

export interface KeyCache {
  /** Who holds this API key; null when it is malformed (without asking the database), unknown, expired or revoked. */
  findCaller: (key: string) => Promise<KeyCaller | null>;
  /** The same without waiting: null also where the database would have to be asked. */
  knownCaller: (key: string) => KeyCaller | null;
  /**
   * The valid secrets of an account, newest first, as known now; undefined when they were never loaded, or the clock was set
   * back so far that some which were forgotten may be valid again. Costs a map lookup. A change of keys replaces them as soon as it is known of, without a gap.
   */
  cachedSecretsOf: (accountId: string) => readonly SigningSecret[] | undefined;
  /** After it `cachedSecretsOf` has the secrets of these accounts, not older than 5 s; none is an empty list. */
  loadSecretsOf: (accountIds: readonly string[]) => Promise<void>;
  /** See KeyDeps. */
  nextVersion: (trx: Trx) => Promise<number>;
}

interface Secrets {
  /** Also what expired in the last day: a clock that was ahead and is set right has it valid again. */
  all: readonly SigningSecret[];
  valid: readonly SigningSecret[];
  /** From when on, and until when, these are the valid ones, and no other has to be forgotten. Milliseconds of the epoch. */
  from: number;
  until: number;
  /** By a clock before this some may be valid that were forgotten, or were not read. Milliseconds of the epoch. */
  completeFrom: number;
}

const isValidAt = ({ expiresAt }: Pick<SealedSecret, 'expiresAt'>, now: number): boolean =>
  expiresAt === null || expiresAt.getTime() > now;

/** Of those that are known, by a clock at `now`; all that are valid are among them from `completeFrom` on. */
const secretsAt = (known: readonly SigningSecret[], now: number, completeFrom: number): Secrets => {
  const forgottenBefore = now - CLOCK_MOST_AHEAD_MS;
  const all = known.filter((secret) => isValidAt(secret, forgottenBefore));
  const ends = all.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  return {
    all,
    valid: all.filter((secret) => isValidAt(secret, now)),
    from: Math.max(Number.NEGATIVE_INFINITY, ...ends.filter((end) => end <= now)),
    until: Math.min(Number.POSITIVE_INFINITY, ...ends.map((end) => (end > now ? end : end + CLOCK_MOST_AHEAD_MS))),
    completeFrom: all.length < known.length ? Math.max(completeFrom, forgottenBefore) : completeFrom,
  };
};

type Stores = Pick<AccountsPlatform, 'db' | 'clock' | 'cipher' | 'log'>;

/**
 * The secrets of these accounts as they are in the database now. One that the master key does not open signs nothing, and says so in the
 * log: it must not keep the other accounts from being served.
 */
async function readSecrets(
  { db, clock, cipher, log }: Stores,
  accountIds: readonly string[],
): Promise<Map<string, Secrets>> {
  const now = clock.now();
  const openSecret = (sealedSecret: SealedSecret): SigningSecret[] => {
    const { keyId, accountId, sealed, expiresAt } = sealedSecret;
    try {
      const secret = cipher.open(sealed, secretContext(keyId));
      const key = createSecretKey(Buffer.from(secret, 'utf8'));
      return [{ keyId, secret, key, rawKey: createSecretKey(signingSecretBytes(secret)), expiresAt }];
    } catch (err) {
      if (isValidAt(sealedSecret, now)) log.error({ err, keyId, accountId }, UNREADABLE);
      return [];
    }
  };
  const from = now - CLOCK_MOST_AHEAD_MS;
  const rows = Map.groupBy(await findSecrets(db, accountIds, new Date(from)), (s) => s.accountId);
  return new Map(accountIds.map((id) => [id, secretsAt((rows.get(id) ?? []).flatMap(openSecret), now, from)]));
}

/** Keys and secrets in memory: exact within the process that changes them, and elsewhere within 5 s at the worst. */
export function createKeyCache(platform: AccountsPlatform, monotonic: () => number): KeyCache {
  const { db, bus, clock, log } = platform;
  const owners = new BoundedMap<string, KeyOwner>(KEYS);
  const secrets = new BoundedMap<string, Secrets>(ACCOUNTS);
  /** Hashes of keys that exist: what is made up takes no place here. */
  const hashes = new BoundedMap<string, string>(HASHES);
  const follower = followVersion({
    monotonic,
    read: async () => (await readVersions(db, [TOPIC])).get(TOPIC) ?? 0,
    async changedSince(version) {
      const changed = await findChangedKeys(db, version);
      const accounts = new Set(changed.map((k) => k.account_id).filter((id) => secrets.get(id)));
      const fresh = await readSecrets(platform, [...accounts]);
      return () => {
        for (const { key_hash, account_id } of changed) {
          owners.delete(key_hash);
          const entry = fresh.get(account_id);
          if (entry) secrets.set(account_id, entry);
          else secrets.delete(account_id);
        }
      };
    },
  });
  bus.subscribe(TOPIC, follower.doubt);

  const current = (accountId: string): readonly SigningSecret[] | undefined => {
    const entry = secrets.get(accountId);
    const now = clock.now();
    if (!entry) return undefined;
    if (now < entry.completeFrom) {
      secrets.delete(accountId);
      return undefined;
    }
    if (entry.from <= now && now < entry.until) return entry.valid;
    const present = secretsAt(entry.all, now, entry.completeFrom);
    secrets.set(accountId, present);
    if (present.valid.length === 0 && entry.valid.length > 0) log.warn({ accountId }, EXPIRED);
    return present.valid;
  };

  const callerOf = ({ keyId, accountId, accountType, scopes, expiresAt }: KeyOwner): KeyCaller | null =>
    expiresAt && expiresAt.getTime() <= clock.now() ? null : { kind: 'key', keyId, accountId, accountType, scopes };

  return {
    async findCaller(text) {
      const known = hashes.get(text);
      if (known === undefined && !isApiKey(text)) return null;
      const hash = known ?? credentialHash(text);
      await follower.confirm();
      const version = follower.version();
      const owner = owners.get(hash) ?? (await findKeyOwner(db, hash));
      if (!owner) return null;
      if (known === undefined) hashes.set(text, hash);
      if (follower.version() === version) owners.set(hash, owner);
      return callerOf(owner);
    },
    knownCaller(text) {
      const hash = hashes.get(text);
      const owner = hash !== undefined && follower.isFresh() ? owners.get(hash) : undefined;
      if (!owner) return null;
      follower.keepFresh();
      return callerOf(owner);
    },
    cachedSecretsOf(accountId) {
      follower.keepFresh();
      return current(accountId);
    },
    async loadSecretsOf(accountIds) {
      for (;;) {
        await follower.confirm();
        const version = follower.version();
        const missing = [...new Set(accountIds)].filter((id) => current(id) === undefined);
        if (missing.length === 0) return;
        const loaded = await readSecrets(platform, missing);
        // A change of keys since then: what was read may be from before it.
        if (follower.version() !== version) continue;
        for (const [id, entry] of loaded) secrets.set(id, entry);
        return;
      }
    },
    async nextVersion(trx) {
      const version = await bumpVersion(trx, TOPIC);
      afterCommit(trx, () => {
        follower.doubt();
        bus.publish(TOPIC);
        // The reply waits for it: what is signed here after a rotation was answered has the new secret's signature.
        return follower.confirm().catch(() => undefined);
      });
      return version;
    },
  };
}
