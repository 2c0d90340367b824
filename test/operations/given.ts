import { sql } from 'kysely';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { adoptTrade } from '../../src/modules/trades/lifecycle/decide.ts';
import { insertTrade } from '../../src/modules/trades/lifecycle/save-store.ts';
import { inTransaction } from '../../src/platform/db/index.ts';
import { PASSWORD } from '../helpers/service.ts';
import type { Cast, RoleCaller } from './callers.ts';
import type { RoleRequest } from './operations.ts';

type Id = { id: string };
type Kind = 'endpoints' | 'business-subscriptions';

/** What operations are called upon: everything is made anew when it is asked for, by whoever may. */
export class Given {
  readonly cast: Cast;
  #count = 0;
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(cast: Cast) {
    this.cast = cast;
  }

  /** A text that was not there before. */
  fresh = (what: string): string => `${what}-${++this.#count}`;

  /** What is made the first time, and the same from then on. */
  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(what) ?? make();
    this.#made.set(what, made);
    return made as Promise<T>;
  }

  /** A draft of the author, with a revision before the present one. */
  async draft(): Promise<string> {
    const { service, author } = this.cast;
    const body = { title: 'A title', slug: this.fresh('post'), body: 'Text.', category: 'News' };
    const { id } = await service.ok<Id>(201, 'POST', '/v1/blog/manage/posts', { token: author.token, body });
    await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token: author.token, body: { title: 'Second' } });
    return id;
  }

  /** A published post of the author. */
  async post(): Promise<{ id: string; slug: string }> {
    const id = await this.draft();
    const { service, author } = this.cast;
    return service.ok<{ id: string; slug: string }>(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, {
      token: author.token,
    });
  }

  /** An address that a published post had before. */
  async oldSlug(): Promise<string> {
    const { id, slug } = await this.post();
    const { service, author } = this.cast;
    const change = { token: author.token, body: { slug: this.fresh('moved') } };
    await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, change);
    return slug;
  }

  /** A comment of the reader on a post of the author. */
  async comment(): Promise<string> {
    const { slug } = await this.post();
    const { service, reader } = this.cast;
    const body = { body: this.fresh('A comment') };
    return (await service.ok<Id>(201, 'POST', `/v1/blog/posts/${slug}/comments`, { token: reader.token, body })).id;
  }

  async previewToken(): Promise<string> {
    const { service, author } = this.cast;
    const path = `/v1/blog/manage/posts/${await this.draft()}/preview-links`;
    return (await service.ok<{ token: string }>(201, 'POST', path, { token: author.token })).token;
  }

  /** An endpoint of the merchant, or a subscription of the business. */
  async endpoint(kind: Kind): Promise<string> {
    const { service, merchant, business } = this.cast;
    const path = `/v1/webhooks/${kind}?accountId=${kind === 'endpoints' ? merchant : business}`;
    const body = { url: 'http://127.0.0.1:9/hook' };
    return (await service.ok<Id>(201, 'POST', path, { token: await service.operator(), body })).id;
  }

  /** A paused one, with the request that is the same for both kinds. */
  async paused(kind: Kind): Promise<string> {
    const id = await this.endpoint(kind);
    const { service } = this.cast;
    await service.ok(200, 'POST', `/v1/webhooks/${kind}/${id}/pause`, { token: await service.operator() });
    return id;
  }

  /** A delivery to the merchant that has arrived, or has come to another end. */
  async delivery(status = 'DELIVERED'): Promise<string> {
    const { service } = this.cast;
    const path = `/v1/webhooks/endpoints/${await this.endpoint('endpoints')}/test`;
    const { id } = await service.ok<Id>(202, 'POST', path, { token: await service.operator(), body: {} });
    await sql`update webhook_deliveries set status = ${status}, attempts = 1, next_attempt_at = null
      where id = ${id}`.execute(this.#db);
    return id;
  }

  /** The merchant, with none of its jobs under way: an account has few. */
  async idle(): Promise<string> {
    await sql`update webhook_jobs set state = 'COMPLETED' where state = 'RUNNING'`.execute(this.#db);
    return this.cast.merchant;
  }

  /** A job of the merchant that is under way. */
  async job(state = 'RUNNING'): Promise<string> {
    const { service } = this.cast;
    const path = `/v1/webhooks/deliveries/replay?accountId=${await this.idle()}`;
    const body = { filter: { status: 'DEAD' } };
    const { id } = await service.ok<Id>(202, 'POST', path, { token: await service.operator(), body });
    await sql`update webhook_jobs set state = ${state} where id = ${id}`.execute(this.#db);
    return id;
  }

  /** An event that the endpoint's account was told of, and that the fan-out has passed. */
  async told(kind: Kind): Promise<string> {
    const { service, publisherKey: token, merchant, business } = this.cast;
    const name = kind === 'endpoints' ? 'checkout.started' : 'space_booking.created';
    const accountIds = [kind === 'endpoints' ? merchant : business];
    const body = { event: name, data: EVENTS[name].example, accountIds };
    const reply = await service.ok<{ data: Id[] }>(202, 'POST', '/v1/events', { token, body });
    await sql`insert into event_readers (name, position, updated_at)
      select 'webhook-fan-out', max(position), now() from events
      on conflict (name) do update set position = excluded.position`.execute(this.#db);
    return reply.data[0]?.id ?? '';
  }

  /** An endpoint with something in its feed. */
  async fed(kind: Kind): Promise<string> {
    const id = await this.endpoint(kind);
    await this.told(kind);
    return id;
  }

  /** A request to send an event of the past to an endpoint. */
  async sending(kind: Kind): Promise<RoleRequest> {
    const [id, eventId] = [await this.endpoint(kind), await this.told(kind)];
    return { params: { id }, body: { eventId } };
  }

  /** A body for POST /v1/events, about the merchant. */
  event(): object {
    return { event: 'checkout.started', data: EVENTS['checkout.started'].example, accountIds: [this.cast.merchant] };
  }

  async published(): Promise<string> {
    const { service, publisherKey: token } = this.cast;
    const reply = await service.ok<{ data: Id[] }>(202, 'POST', '/v1/events', { token, body: this.event() });
    return reply.data[0]?.id ?? '';
  }

  /** A trade of which the merchant serves both sides. */
  async trade(): Promise<string> {
    const { example } = EVENTS['trade.accepted'];
    const [tradeSessionId, offerId] = [this.fresh('ts'), this.fresh('off')];
    const { merchant: merchantAccountId } = this.cast;
    const initiator = { ...example.initiator, merchantAccountId, items: [] };
    const counterparty = { ...example.counterparty, merchantAccountId, items: [] };
    const trade = adoptTrade({ ...example, tradeSessionId, offerId, initiator, counterparty });
    await inTransaction(this.#db, (trx) => insertTrade(trx, trade, new Date(0)));
    return tradeSessionId;
  }

  /** What the merchant reports of a trade, signed. */
  async report(event = 'cancelled', tradeSessionId?: string): Promise<RoleRequest> {
    const { service, merchant } = this.cast;
    const [secret] = await service.service.modules.accounts.secretsOf(merchant);
    const body = { event, tradeSessionId: tradeSessionId ?? (await this.trade()), side: 'INITIATOR' };
    return { query: `accountId=${merchant}`, body, sign: secret?.secret ?? '' };
  }

  /** A report of the merchant that was recorded. */
  async received(): Promise<string> {
    const [id, { body }] = [uuidv7(0), await this.report()];
    await sql`insert into inbound_reports (id, account_id, body, verdict, event_ids, request_id, received_at)
      values (${id}, ${this.cast.merchant}, ${JSON.stringify(body)}, 'REFUSED', '{}', 'request', now())`.execute(
      this.#db,
    );
    return id;
  }

  get #db() {
    return this.cast.service.service.opened.platform.db;
  }

  /** A reaction that has run before. */
  async reaction(name = 'notifications'): Promise<string> {
    await sql`insert into event_readers (name, position, updated_at) values (${name}, 0, now())
      on conflict do nothing`.execute(this.#db);
    return name;
  }

  /** An event at which a reaction failed. */
  async failure(): Promise<{ name: string; eventId: string }> {
    const [name, eventId] = [await this.reaction(), await this.published()];
    await sql`
      insert into event_failures (reader, position, event_id, event, error, attempts, first_failed_at, last_failed_at)
      select ${name}, position, id, event, 'Error', 6, now(), now() from events where id = ${eventId}`.execute(
      this.#db,
    );
    return { name, eventId };
  }

  /** Something that the caller is told of; of nobody, where the caller is no user. */
  async notification({ email }: RoleCaller): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      insert into notifications (id, user_id, event_id, event, text, created_at)
      select gen_random_uuid(), coalesce((select id::text from users where email = ${email ?? ''}), 'nobody'),
        gen_random_uuid(), 'offer.created', 'You have a new offer.', now() returning id`.execute(this.#db);
    return (rows[0] as Id).id;
  }

  /** A key of an account of its own: an account has few. */
  async key(): Promise<string> {
    return (await this.cast.service.key(['blog:read'])).id;
  }

  /** A key of the merchant, with no scope that reaches beyond the account. */
  async keyOfMerchant(scope: 'blog:read' | 'events:publish' = 'blog:read'): Promise<RoleRequest> {
    const id = await this.#roomForKeys();
    return { params: { id, keyId: (await this.cast.service.key([scope], id)).id } };
  }

  /** A request for one key more of the merchant. */
  async keyToMake(): Promise<RoleRequest> {
    return { params: { id: await this.#roomForKeys() }, body: { name: 'Key', scopes: ['blog:read'] } };
  }

  /** The merchant with the keys that it had in the beginning: an account has few. */
  async #roomForKeys(): Promise<string> {
    const { service, merchant } = this.cast;
    const token = await service.operator();
    const active = async (): Promise<string[]> => {
      const path = `/v1/admin/api-keys?accountId=${merchant}&limit=100`;
      const { data } = await service.ok<{ data: (Id & { revokedAt: string | null })[] }>(200, 'GET', path, { token });
      return data.filter((key) => key.revokedAt === null).map((key) => key.id);
    };
    const kept = await this.once('keys of the merchant', active);
    const more = (await active()).filter((id) => !kept.includes(id));
    if (more.length > 5) for (const id of more) await service.ok(204, 'DELETE', `/v1/admin/api-keys/${id}`, { token });
    return merchant;
  }

  newcomer = (): object => ({ email: `${this.fresh('new')}@example.com`, name: 'New', password: PASSWORD });

  /** Another session of whoever calls, to be ended; a refused caller has none. */
  async anotherSession({ email }: RoleCaller): Promise<{ token?: string }> {
    if (email === undefined) return {};
    await this.#withUsualPassword(email);
    return { token: await this.cast.service.signIn(email) };
  }

  /** What a change of the password made of it is undone. */
  async #withUsualPassword(email: string): Promise<void> {
    await sql`update users set password_hash = (select password_hash from users where id = ${this.cast.guest})
      where email = ${email}`.execute(this.#db);
  }

  /** A new password for whoever calls. */
  async anotherPassword({ email }: RoleCaller): Promise<{ body: object }> {
    if (email !== undefined) await this.#withUsualPassword(email);
    return { body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` } };
  }
}
