import { randomInt } from 'node:crypto';
import { type Env, inTransaction, type Trx } from '../../platform/db/index.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Accounts, addMember, createAccount, createUser, passwordsOf } from '../../modules/accounts/index.ts';
import { createPost, publishPost, type Writer } from '../../modules/blog/index.ts';
import { CAST_ACCOUNTS, CAST_USERS, type CastAccount, type CastUser, emailOf } from './cast.ts';
import { type Demo, writeDemo } from './demo-file.ts';
import { type DemoPost, loadDemoPosts, publicationOf } from './demo-posts.ts';

/** Without characters that look alike; 12 of them are about 59 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const group = (): string => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Random, since the service may listen on more than loopback; one for all users, since people type it. */
const newPassword = (): string => [group(), group(), group()].join('-');

export type DemoPlatform = Pick<Platform, 'config' | 'clock' | 'newId' | 'db' | 'database'>;

interface Making {
  trx: Trx;
  env: Env;
  accounts: Pick<Accounts, 'createApiKey'>;
}

async function makeUsers({ trx, env }: Making, cast: readonly CastUser[], passwordHash: string) {
  const users = new Map<string, { id: string; name: string; blogRole: Writer['role'] | null }>();
  for (const member of cast) {
    const { who, ...user } = member;
    users.set(who, await createUser(trx, { ...user, email: emailOf(member), passwordHash }, env));
  }
  return users;
}

async function makeAccount({ trx, env, accounts }: Making, cast: CastAccount, userId: string | undefined) {
  const { who, name, type, scopes, keyIsFor } = cast;
  const { id } = await createAccount(trx, { name, type }, env);
  if (userId !== undefined) await addMember(trx, { id, userId }, env);
  if (scopes.length === 0) return { who, name, id, keyIsFor };
  const { key, signingSecret } = await accounts.createApiKey(trx, { accountId: id, name: 'Demo', scopes }, env);
  return { who, name, id, key, signingSecret, keyIsFor };
}

async function makePost({ trx, env }: Making, post: DemoPost, writer: Writer): Promise<void> {
  const { id } = await createPost(trx, { writer, fields: post.fields }, env);
  const at = publicationOf(post, env.now);
  if (at !== null) await publishPost(trx, { writer, id, at: at.toISOString() }, env);
}

/**
 * Creates the demo in one transaction, on a database that is empty. The file with its credentials is in place before
 * the commit: a process that dies in between leaves a file that tells of nothing and an empty database, and the next
 * start makes both anew. There is no moment at which the demo exists and nobody knows its passwords.
 */
export async function createDemo(platform: DemoPlatform, accounts: Pick<Accounts, 'createApiKey'>): Promise<Demo> {
  const { config, clock, newId, db } = platform;
  const password = newPassword();
  const passwordHash = await passwordsOf(config).hash(password);
  const posts = await loadDemoPosts();
  const env: Env = { now: new Date(clock.now()), newId, requestId: 'demo' };
  // Whoever names an operator in the settings gets that one, and no other.
  const cast: readonly CastUser[] = CAST_USERS.filter(
    (user) => !('operator' in user) || config.POSTHORN_OPERATOR_EMAIL === undefined,
  );
  return inTransaction(db, async (trx) => {
    const making: Making = { trx, env, accounts };
    const users = await makeUsers(making, cast, passwordHash);
    const demo: Demo = {
      about: 'Credentials of the demo that Posthorn created in this folder. Delete the folder to get a new one.',
      createdAt: env.now.toISOString(),
      users: cast.map((user) => ({ who: user.who, name: user.name, email: emailOf(user), password })),
      accounts: [],
    };
    for (const account of CAST_ACCOUNTS) {
      demo.accounts.push(await makeAccount(making, account, users.get(account.who)?.id));
    }
    const writers = new Map([...users.values()].map((user) => [user.name, user]));
    for (const post of posts) {
      const user = writers.get(post.author);
      if (!user?.blogRole) throw new Error(`the demo has no writer ${post.author}`);
      await makePost(making, post, { id: user.id, role: user.blogRole });
    }
    await writeDemo(config.POSTHORN_DATA_DIR, demo);
    return demo;
  });
}
