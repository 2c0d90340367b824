import { ManualClock, systemClock } from '../../src/lib/clock.ts';
import { PASSWORD, type SignedIn, type TestService, testService } from '../helpers/service.ts';

/** Above the default of SESSION_SECONDS, two weeks. Milliseconds. */
const LONGER_THAN_A_SESSION = 15 * 24 * 3_600_000;
const OVERLAP_SECONDS = 60;

/** A credential, and for people what is needed to sign in anew. */
export interface RoleCaller {
  /** Undefined: no credential is sent. */
  token?: string;
  email?: string;
}

/** The accounts and people whose things the operations are about. */
export interface Cast {
  service: TestService;
  merchant: string;
  business: string;
  /** Publishes events; any account's key can. */
  publisherKey: string;
  author: SignedIn;
  editor: SignedIn;
  reader: SignedIn;
  /** A user who calls nothing. */
  guest: string;
  callers: Record<string, RoleCaller>;
}

/** Editor and operator: what is refused to such a credential is refused because it is dead. */
const MIGHTY = { blogRole: 'EDITOR', operator: true } as const;

/** Sessions and keys that were good once. */
async function deadCallers(service: TestService, clock: ManualClock, account: string): Promise<Cast['callers']> {
  const token = await service.operator();
  const change = (id: string, body: object) => service.ok(200, 'PATCH', `/v1/admin/users/${id}`, { token, body });
  const signedOut = await service.user(MIGHTY);
  await service.ok(204, 'POST', '/v1/auth/sign-out', { token: signedOut.token });
  const disabled = await service.user(MIGHTY);
  await change(disabled.id, { disabled: true });
  const renewed = await service.user(MIGHTY);
  await change(renewed.id, { password: `${PASSWORD} 2` });
  const revoked = await service.key(['admin'], account);
  await service.ok(204, 'DELETE', `/v1/admin/api-keys/${revoked.id}`, { token });
  const rotated = await service.key(['admin'], account);
  const overlap = { overlapSeconds: OVERLAP_SECONDS };
  await service.ok(201, 'POST', `/v1/admin/api-keys/${rotated.id}/rotate`, { token, body: overlap });
  clock.advance(OVERLAP_SECONDS * 1000);
  return {
    'an unknown session': { token: `phs_${'A'.repeat(43)}` },
    'a session signed out': { token: signedOut.token },
    'a disabled user': { token: disabled.token },
    'a session before a new password': { token: renewed.token },
    'a revoked key': { token: revoked.key },
    'a key past its overlap': { token: rotated.key },
  };
}

/** Signs in, and then has every right withdrawn that it had. */
async function demoted(service: TestService, account: string): Promise<SignedIn> {
  const user = await service.user(MIGHTY);
  const token = await service.operator();
  const membership = `/v1/admin/accounts/${account}/members/${user.id}`;
  await service.ok(204, 'PUT', membership, { token });
  await service.ok(200, 'GET', '/v1/blog/manage/export', { token: user.token });
  await service.ok(204, 'DELETE', membership, { token });
  const body = { blogRole: null, operator: false };
  await service.ok(200, 'PATCH', `/v1/admin/users/${user.id}`, { token, body });
  return user;
}

/** A user and the accounts of which it is a member. */
async function member(service: TestService, accounts: readonly string[]): Promise<SignedIn> {
  const user = await service.user();
  const token = await service.operator();
  for (const id of accounts) await service.ok(204, 'PUT', `/v1/admin/accounts/${id}/members/${user.id}`, { token });
  return user;
}

/** The session of somebody with every right, whose time is over. */
async function expired(service: TestService, clock: ManualClock): Promise<RoleCaller> {
  const body = { email: 'expired@example.com', name: 'Expired', password: PASSWORD };
  const opened = await service.ok<{ accessToken: string; user: { id: string } }>(201, 'POST', '/v1/auth/sign-up', {
    body,
  });
  clock.advance(LONGER_THAN_A_SESSION);
  const token = await service.operator();
  await service.ok(200, 'PATCH', `/v1/admin/users/${opened.user.id}`, { token, body: MIGHTY });
  return { token: opened.accessToken };
}

/** A service and everybody who may call it. No loop runs, so nothing but the calls changes the database. */
export async function openCast(env: Record<string, string> = {}): Promise<Cast> {
  const clock = new ManualClock(systemClock.now() - LONGER_THAN_A_SESSION);
  const service = await testService({
    clock,
    env: { WEBHOOK_MAX_ENDPOINTS: '1000', ...env },
    withoutLoops: true,
  });
  const late = await expired(service, clock);
  const [merchant, business, elsewhere, spare] = [
    await service.account('MERCHANT'),
    await service.account('BUSINESS'),
    await service.account('MERCHANT'),
    await service.account('PLATFORM'),
  ];
  const author = await service.user({ blogRole: 'AUTHOR' });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const reader = await service.user();
  const publisher = await service.key(['events:publish'], spare);
  const keyOf = async (scope: Parameters<TestService['key']>[0][number], account: string): Promise<RoleCaller> => ({
    token: (await service.key([scope], account)).key,
  });
  const callers: Cast['callers'] = {
    nobody: {},
    'key blog:read': await keyOf('blog:read', merchant),
    'key webhooks:manage, merchant': await keyOf('webhooks:manage', merchant),
    'key webhooks:manage, business': await keyOf('webhooks:manage', business),
    'key events:publish': { token: publisher.key },
    'key inbound:write': await keyOf('inbound:write', merchant),
    'key admin': await keyOf('admin', spare),
    reader,
    'member of both accounts': await member(service, [merchant, business]),
    'member of another account': await member(service, [elsewhere]),
    'author, own': author,
    'author, other': await service.user({ blogRole: 'AUTHOR' }),
    editor,
    operator: await service.user({ operator: true }),
    'rights withdrawn': await demoted(service, merchant),
    ...(await deadCallers(service, clock, spare)),
    'an expired session': late,
  };
  const { id: guest } = await service.user();
  return { service, merchant, business, publisherKey: publisher.key, author, editor, reader, guest, callers };
}
