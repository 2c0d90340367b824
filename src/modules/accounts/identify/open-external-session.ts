import { bumpVersion, type Env, type Trx } from '../../../platform/db/index.ts';
import { fittingName, normalEmail } from '../rules.ts';
import { insertSession, lockEnabledUser } from '../sessions/store.ts';
import { type NewUser, newUserRow } from '../users/new-user.ts';
import { recordUserChange } from '../users/record-user-change.ts';
import { USER_NAMES_VERSION } from '../users/update-user.ts';
import { findExternalUser, insertUser, releaseEmail, takeEmail, updateUserRow, type UserRow } from '../users/store.ts';
import type { ExternalIdentity } from './verify-token.ts';

const EMAIL = /^[^\s@\0]{1,64}@[^\s@\0]{1,189}$/;

/** Of whom the provider gives no name. */
const NAMELESS = 'Reader';

/** The name that everybody may see beside a comment: never an address, which some providers put where the name would stand. */
function shownName({ name }: ExternalIdentity): string {
  const fitting = fittingName((name ?? '').replaceAll('\0', ''));
  return fitting === '' || EMAIL.test(fitting) ? NAMELESS : fitting;
}

/** The name of a user who was called by an address, from before that was not done. */
async function takeName(trx: Trx, user: UserRow, identity: ExternalIdentity, env: Env): Promise<void> {
  if (!EMAIL.test(user.name)) return;
  const name = shownName(identity);
  await updateUserRow(trx, user.id, { name, updated_at: env.now });
  await recordUserChange(trx, user, { ...user, name }, env);
  await bumpVersion(trx, USER_NAMES_VERSION);
}

/**
 * Without the e-mail address when a user of ours has it: the provider's word does not give away an account. One that the provider
 * has changed since is taken over, also from another of its users: mails would go to the old one for ever.
 */
async function findOrCreateUser(trx: Trx, identity: ExternalIdentity, env: Env): Promise<UserRow> {
  const { issuer, subject } = identity;
  const email = identity.email !== null && EMAIL.test(identity.email) ? normalEmail(identity.email) : null;
  const found = await findExternalUser(trx, issuer, subject);
  if (email !== null && found?.email !== email) {
    const former = await releaseEmail(trx, issuer, subject, email, env.now);
    if (former) await recordUserChange(trx, { ...former, email }, former, env);
  }
  if (found && email !== null && found.email !== email && (await takeEmail(trx, found.id, email, env.now))) {
    await recordUserChange(trx, found, { ...found, email }, env);
  }
  if (found) {
    await takeName(trx, found, identity, env);
    return found;
  }
  const user: NewUser = { name: shownName(identity), external: { issuer, subject } };
  for (const row of [newUserRow({ ...user, email }, env), newUserRow(user, env)]) {
    if (await insertUser(trx, row)) return row;
    const other = await findExternalUser(trx, issuer, subject);
    if (other) return other;
  }
  throw new Error('a user of the identity provider was neither inserted nor found');
}

/**
 * Stores a token of the outside identity provider as a session, at its first use, and creates its user if need be.
 * From then on a sign-out, a disabled user or a changed role act on it as on any session. Nothing for a disabled user.
 */
export async function openExternalSession(
  trx: Trx,
  identity: ExternalIdentity,
  tokenHash: string,
  env: Env,
): Promise<void> {
  const user = await findOrCreateUser(trx, identity, env);
  if (!(await lockEnabledUser(trx, user.id))) return;
  await insertSession(trx, {
    id: env.newId(),
    user_id: user.id,
    token_hash: tokenHash,
    created_at: env.now,
    expires_at: identity.expiresAt,
    revoked_at: null,
  });
}
