import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Client } from '../../client/src/index.ts';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { type Answered, type TestNode, type Tenant, until } from './engine.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export type Side = 'INITIATOR' | 'COUNTERPARTY';

/** A merchant's system: an account with a key, an endpoint that receives everything, and a signature of its own. */
export interface Merchant extends Tenant {
  receiver: Receiver;
}

/** What a receiver got, in the order of its arrival. */
export const arrived = ({ receiver }: Merchant): { event: string; [field: string]: unknown }[] =>
  receiver.received.map((request) => JSON.parse(request.body) as { event: string });

export const sortedNames = (merchant: Merchant): string[] =>
  arrived(merchant)
    .map((body) => body.event)
    .toSorted();

/** The header that a merchant signs a body with. */
export function signatureOf(secret: string, body: string, now: number): string {
  const t = Math.floor(now / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
}

interface Entry {
  kind: string;
  at: string;
  [field: string]: unknown;
}

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

let offers = 0;

/** How long a fact may take, and how often it is asked for over HTTP: what asks all the time slows down what it waits for. Milliseconds. */
const POLL = [30_000, 15] as const;

/** A marketplace with two merchants that trade over HTTP alone. */
export class Trading {
  readonly node: TestNode;
  readonly platform: Tenant;
  readonly left: Merchant;
  readonly right: Merchant;

  private constructor(node: TestNode, platform: Tenant, left: Merchant, right: Merchant) {
    this.node = node;
    this.platform = platform;
    this.left = left;
    this.right = right;
  }

  /** The client library with the platform's key. */
  get #client(): Client {
    return this.node.client(this.platform.key);
  }

  static async open(node: TestNode): Promise<Trading> {
    const platform = await node.tenant('PLATFORM');
    const merchant = async (): Promise<Merchant> => {
      const tenant = await node.tenant('MERCHANT', ['webhooks:manage', 'inbound:write']);
      const receiver = await startReceiver();
      await node.endpoint(tenant, receiver.url());
      return { ...tenant, receiver };
    };
    return new Trading(node, platform, await merchant(), await merchant());
  }

  /** Terms of a trade between two users: the left merchant serves the initiator. */
  terms(users: { initiator: string; counterparty: string } = { initiator: 'usr_ines', counterparty: 'usr_tomas' }) {
    const { initiator, counterparty, currency } = EVENTS['offer.accepted'].example;
    const side = (of: typeof initiator, merchant: Tenant, userId: string) => ({
      ...of,
      userId,
      merchantAccountId: merchant.id,
      items: of.items.map((item) => ({ ...item, merchantAccountId: merchant.id })),
    });
    return {
      initiator: side(initiator, this.left, users.initiator),
      counterparty: side(counterparty, this.right, users.counterparty),
      currency,
    };
  }

  async publish(event: string, data: object, to: readonly Tenant[] = [this.left, this.right]): Promise<string> {
    const body = { event, data: { ...data }, accountIds: to.map((tenant) => tenant.id) };
    this.node.clock.advance(1000);
    const { data: published } = await this.#client.publishEvents({ body });
    return published[0]?.id ?? '';
  }

  /** An offer that is made and accepted; the id of the trade session that the service opens for it. */
  async open(terms: object = this.terms()): Promise<string> {
    const offer = { offerId: `off_${++offers}`, ...terms };
    await this.publish('offer.created', offer);
    await this.publish('offer.accepted', offer);
    let id: string | undefined;
    await until(
      'a trade session',
      async () => {
        id = (await this.#client.listTrades({ offerId: offer.offerId })).data[0]?.tradeSessionId;
        return id !== undefined;
      },
      ...POLL,
    );
    return id as string;
  }

  /** Both sides confirm; resolves when the checkouts are open. */
  async accept(id: string): Promise<void> {
    const { offerId, initiator, counterparty, currency } = await this.show(id);
    const side = ({ checkout: _c, fulfillment: _f, ...terms }: Record<string, unknown>) => terms;
    const terms = { initiator: side(initiator), counterparty: side(counterparty), currency };
    await this.publish('trade.accepted', { tradeSessionId: id, offerId, ...terms });
    await this.reaches(id, 'CHECKOUT');
  }

  async show(id: string, key = this.platform.key): Promise<Body> {
    return this.node.client(key).getTrade({ tradeSessionId: id });
  }

  async reaches(id: string, status: string): Promise<void> {
    await until(`the trade is ${status}`, async () => (await this.show(id)).status === status, ...POLL);
  }

  /**
   * A signed report, whatever the answer. By raw HTTP: merchants have programs of their own, what they send may be anything,
   * and it is signed by the clock of the test.
   */
  async send(merchant: Tenant, body: object | string, headers: Record<string, string> = {}): Promise<Answered> {
    const raw = typeof body === 'string' ? body : JSON.stringify(body);
    this.node.clock.advance(1000);
    return this.node.call('POST', '/v1/webhooks/inbound', {
      key: merchant.key,
      body: raw,
      headers: { 'x-service-signature': signatureOf(merchant.secret, raw, this.node.clock.now()), ...headers },
    });
  }

  /** A report that must be accepted. */
  async report(merchant: Tenant, event: string, id: string, side: Side, more: object = {}): Promise<Body> {
    const reply = await this.send(merchant, { event, tradeSessionId: id, side, ...more });
    assert.equal(reply.status, 200, `${event} ${side}: ${JSON.stringify(reply.body)}`);
    assert.equal(reply.body.verdict, 'ACCEPTED', event);
    return reply.body;
  }

  /** A report that must be refused with this code. */
  async refused(code: string, merchant: Tenant, event: string, id: string, side: Side): Promise<void> {
    const reply = await this.send(merchant, { event, tradeSessionId: id, side });
    assert.equal(reply.body.error?.code, code, `${event} ${side}: ${JSON.stringify(reply.body)}`);
  }

  /** Waits until the merchants have received so many webhooks together, and every reaction has caught up. */
  async settle(): Promise<void> {
    await until(
      'every reader is at the end of the log',
      async () => {
        const { data } = await this.#client.listReaders();
        // The seals take their time, and nothing here waits for them.
        return data.every(({ name, lag }) => lag === 0 || name === 'audit-seal');
      },
      ...POLL,
    );
    await until(
      'no delivery is pending',
      async () => {
        const { data } = await this.#client.listDeliveries({ status: 'PENDING' });
        return data.length === 0;
      },
      ...POLL,
    );
  }

  /** The timeline as operators see it, a line for each entry. */
  async timeline(id: string): Promise<string[]> {
    const { timeline } = (await this.show(id)) as { timeline: Entry[] };
    const name = (account: unknown): string =>
      account === this.left.id ? 'left' : account === this.right.id ? 'right' : String(account);
    return timeline.map((entry) => {
      const { kind, event, cause, status, side, verdict, userId, text, delta, accountId } = entry;
      const what: Record<string, unknown[]> = {
        EVENT: [event],
        STEP: [cause, '→', status, entry.refused ?? ''],
        REPORT: [event, side, 'by', name(accountId), verdict, entry.message ?? ''],
        NOTIFICATION: [userId, text],
        REPUTATION: [userId, delta],
        DELIVERY: [event, 'to', name(accountId), status],
      };
      return `${kind.padEnd(12)} ${(what[kind] as unknown[]).join(' ')}`.trimEnd();
    });
  }
}
