import type { Caller } from '../../contracts/caller.ts';
import { monotonicNow } from '../../lib/clock.ts';
import type { KeyEnvironment } from '../../lib/credentials.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Db, Env, Trx } from '../../platform/db/index.ts';
import { Seldom } from '../../platform/log/seldom.ts';
import type { Module } from '../../platform/platform.ts';
import { authenticate } from './identify/authenticate.ts';
import { createKeySet, type FetchJwks } from './identify/key-set.ts';
import { jwksFetcher, providerOf, readKeySet } from './identify/provider.ts';
import type { Refusal } from './identify/verify-token.ts';
import { type CreateApiKeyInput, createApiKey } from './keys/create-api-key.ts';
import type { KeyDeps } from './keys/issue-key.ts';
import { opensSecrets } from './keys/opens-secrets.ts';
import { createKeyCache, type KeyCache, type SigningSecret } from './keys/key-cache.ts';
import { passwordsOf } from './passwords.ts';
import type { AccountsPlatform } from './platform.ts';
import { accountsRoutes } from './routes.ts';
import { actingAccount, visibleAccounts } from './rules.ts';
import type { IssuedApiKey } from './schemas.ts';
import { createReaders, type Readers } from './sessions/readers.ts';
import { purgeSessions } from './sessions/purge-sessions.ts';
import { sessionLookup } from './sessions/session-lookup.ts';
import { offerSetup } from './setup/offer-setup.ts';
import { createAccount } from './tenants/create-account.ts';
import { type AccountLookup, accountLookup } from './tenants/account-lookup.ts';
import { isFresh } from './tenants/store.ts';
import { createUser } from './users/create-user.ts';
import { ensureFirstOperator } from './users/ensure-first-operator.ts';
import { findOrCreateAuthor } from './users/find-or-create-author.ts';
import { findMailRecipient, type MailRecipient } from './users/find-mail-recipient.ts';
import { marketplaceId } from './users/marketplace-id.ts';
import { marketplaceIds, operatorExists } from './users/store.ts';

export { countActiveKeys } from './keys/store.ts';
export { accountTypeOf, lockAccount, membersAndOperators } from './tenants/store.ts';
export { USER_NAMES_VERSION } from './users/update-user.ts';
export { addMember } from './tenants/add-member.ts';
export {
  actingAccount,
  createAccount,
  createUser,
  ensureFirstOperator,
  findOrCreateAuthor,
  marketplaceId,
  marketplaceIds,
  opensSecrets,
  passwordsOf,
  readKeySet,
  visibleAccounts,
};
export type { CreateApiKeyInput, FetchJwks, IssuedApiKey, SigningSecret };

export interface AccountsOptions {
  /** Gets the key set of the outside identity provider; default: from POSTHORN_OIDC_JWKS_URL. */
  fetchJwks?: FetchJwks;
  /** Milliseconds of a clock that never jumps: the age of what is cached. */
  monotonic?: () => number;
}

export interface Accounts extends AccountLookup, Pick<KeyCache, 'cachedSecretsOf' | 'knownCaller' | 'loadSecretsOf'> {
  module: Module;
  /** Whether this process has the master key by which the signing secrets in the database were sealed. */
  opensSecrets: () => Promise<boolean>;
  /**
   * Who holds a credential; null when it is malformed, unknown, expired or revoked, or its user disabled. What changes a
   * session or its user acts on the next call on every node; a change of an API key on the next call on this node, on
   * another one when its message arrives and within 5 s if that is lost.
   */
  authenticate(bearer: string): Promise<Caller | null>;
  /** The valid signing secrets of an account, newest first. */
  secretsOf(accountId: string): Promise<readonly SigningSecret[]>;
  /** For the forms of pages. */
  readers: Readers;
  actingAccount: typeof actingAccount;
  visibleAccounts: typeof visibleAccounts;
  /** Whether there is no account and nobody but operators: nothing was done with this installation yet. */
  isFresh(db: Db): Promise<boolean>;
  createApiKey(trx: Trx, input: CreateApiKeyInput, env: Env): Promise<IssuedApiKey>;
  /** `ensureFirstOperator` with POSTHORN_OPERATOR_EMAIL and _PASSWORD; null when they are not set. */
  ensureConfiguredOperator(env: Env): Promise<'exists' | 'created' | 'promoted' | null>;
  /** Whether somebody who is enabled has the operator flag. */
  operatorExists(db: Db): Promise<boolean>;
  /** Who gets e-mail for a user whom the marketplace knows by this id; see findMailRecipient. */
  mailRecipient(db: Db, marketplaceId: string): Promise<MailRecipient | null>;
  /** A one-time token for POST /v1/auth/setup, valid for an hour; null when there is an operator. */
  offerSetup(env: Env): Promise<string | null>;
}

const ENVIRONMENTS: Record<Config['POSTHORN_ENV'], KeyEnvironment> = {
  production: 'live',
  test: 'test',
  development: 'dev',
};

const REFUSED =
  'a token was refused that is not as POSTHORN_OIDC_ISSUER, POSTHORN_OIDC_AUDIENCE and the key set say; the same reason is told once a minute';

const PROMOTED =
  'the user of POSTHORN_OPERATOR_EMAIL became the first operator, with POSTHORN_OPERATOR_PASSWORD in place of the own password, and was signed out everywhere';

/** Users, sessions, accounts and API keys on this platform. Reads nothing until it is used. */
export function createAccounts(platform: AccountsPlatform, options: AccountsOptions = {}): Accounts {
  const { config, db, cipher, log } = platform;
  const monotonic = options.monotonic ?? monotonicNow;
  const keys = createKeyCache(platform, monotonic);
  const environment = ENVIRONMENTS[config.POSTHORN_ENV];
  const keyDeps: KeyDeps = { cipher, environment, log, nextVersion: keys.nextVersion };
  const provider = providerOf(config);
  // Loaded now: a load that fails for want of files would not be tried again.
  if (provider) void import('jose').catch(() => undefined);
  const refusals = new Seldom(monotonic);
  const external = provider && {
    ...provider,
    onRefused(refusal: Refusal) {
      const untold = refusals.due(refusal.reason);
      if (untold !== null) log.warn({ ...refusal, ...(untold === 0 ? {} : { untold }) }, REFUSED);
    },
    keySet: createKeySet({
      fetchJwks: options.fetchJwks ?? jwksFetcher(config, platform.sender, log),
      monotonic,
      onFailure: (err) => log.warn({ err }, 'the key set of the identity provider could not be read'),
    }),
  };
  const deps = { platform, keys, findSession: sessionLookup(db, platform.clock), external };
  return {
    module: { name: 'accounts', routes: accountsRoutes(platform, keyDeps), loops: [purgeSessions(platform)] },
    authenticate: (bearer) => authenticate(deps, bearer),
    knownCaller: keys.knownCaller,
    cachedSecretsOf: keys.cachedSecretsOf,
    loadSecretsOf: keys.loadSecretsOf,
    async secretsOf(accountId) {
      await keys.loadSecretsOf([accountId]);
      return keys.cachedSecretsOf(accountId) ?? [];
    },
    opensSecrets: () => opensSecrets(platform),
    readers: createReaders(platform),
    ...accountLookup(),
    actingAccount,
    visibleAccounts,
    isFresh,
    operatorExists,
    offerSetup: (env) => offerSetup(db, env),
    mailRecipient: (on, id) => findMailRecipient(on, id, config.POSTHORN_OIDC_ISSUER),
    createApiKey: (trx, input, env) => createApiKey(trx, input, env, keyDeps),
    async ensureConfiguredOperator(env) {
      const { POSTHORN_OPERATOR_EMAIL: email, POSTHORN_OPERATOR_PASSWORD: password } = config;
      if (email === undefined || password === undefined) return null;
      const became = await ensureFirstOperator(db, { email, password }, env, passwordsOf(config));
      if (became === 'created') log.info('the first operator was made from POSTHORN_OPERATOR_EMAIL');
      // Somebody may have signed up with that address before.
      if (became === 'promoted') log.warn(PROMOTED);
      return became;
    },
  };
}
