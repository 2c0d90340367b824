import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { until } from './engine.ts';
import type { ServiceProcess } from './process.ts';
import { type Side, signatureOf } from './trading.ts';

interface Party {
  id: string;
  key: string;
  signingSecret: string;
}

/** What is done to a trade once its checkouts are open: reports of either side, or what the marketplace publishes. */
type Plan = readonly (readonly [event: string, side: Side | null])[];

const PLANS: readonly Plan[] = [
  [
    ['item.reserved', 'INITIATOR'],
    ['payment.completed', 'INITIATOR'],
    ['payment.completed', 'COUNTERPARTY'],
    ['item.sold', 'INITIATOR'],
    ['fulfillment.started', 'COUNTERPARTY'],
    ['fulfillment.completed', 'INITIATOR'],
    ['fulfilled', 'COUNTERPARTY'],
  ],
  [
    ['payment.completed', 'COUNTERPARTY'],
    ['payment.failed', 'INITIATOR'],
  ],
  [['item.unavailable', 'COUNTERPARTY']],
  [
    ['payment.completed', 'INITIATOR'],
    ['cancelled', 'COUNTERPARTY'],
  ],
  [['trade.cancelled', null]],
];

/** In one request. */
const BATCH = 20;
/** One in so many reports is sent twice. */
const TWICE = 7;
/** Each look at all of the trades takes the service a while, which they need themselves. */
const LOOK_MS = 150;

/** Runs trades against a service that may die at any moment: what was not answered is sent again. */
export class TradeRun {
  readonly #service: ServiceProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #count: number;
  #platform!: Party;
  #left!: Party;
  #right!: Party;
  /** Requests that were answered. */
  answered = 0;

  constructor(service: ServiceProcess, count: number) {
    this.#service = service;
    this.#count = count;
  }

  /** Requests that a run takes, about. */
  get expected(): number {
    const reports = PLANS.reduce((sum, plan) => sum + plan.length, 0) / PLANS.length;
    return Math.floor(this.#count * (reports + 3 / BATCH));
  }

  async setUp(): Promise<void> {
    const operator = await this.#service.operator();
    const party = async (type: string, scopes: string[]): Promise<Party> => {
      const { id } = await this.#service.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
      const body = { accountId: id, name: 'run', scopes };
      return { ...(await this.#service.call('POST', '/v1/admin/api-keys', body, operator)), id };
    };
    this.#platform = await party('PLATFORM', ['events:publish', 'admin']);
    this.#left = await party('MERCHANT', ['webhooks:manage', 'inbound:write']);
    this.#right = await party('MERCHANT', ['webhooks:manage', 'inbound:write']);
  }

  /** Sends until there is an answer. */
  async #post(path: string, key: string, body: string, headers: () => Record<string, string>): Promise<number> {
    for (;;) {
      const status = await new Promise<number>((done) => {
        const { port } = this.#service;
        const sent = request(
          {
            agent: this.#agent,
            port,
            path,
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers() },
          },
          (response) =>
            response
              .resume()
              .on('end', () => done(response.statusCode ?? 0))
              .on('error', () => done(0)),
        );
        sent.on('error', () => done(0)).end(body);
      });
      if (status !== 0 && status !== 503) {
        this.answered++;
        return status;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  #terms(i: number) {
    const { initiator, counterparty, currency } = EVENTS['offer.accepted'].example;
    const side = (of: typeof initiator, merchant: Party, userId: string) => ({
      ...of,
      userId,
      merchantAccountId: merchant.id,
      items: of.items.map((item) => ({ ...item, merchantAccountId: merchant.id })),
    });
    return {
      offerId: `offer-${i}`,
      initiator: side(initiator, this.#left, `ann-${i}`),
      counterparty: side(counterparty, this.#right, `bob-${i}`),
      currency,
    };
  }

  async #publish(name: string, events: readonly { event: string; data: object }[]): Promise<void> {
    const accountIds = [this.#left.id, this.#right.id];
    const body = JSON.stringify({ events: events.map((event) => ({ ...event, accountIds })) });
    const status = await this.#post('/v1/events', this.#platform.key, body, () => ({ 'idempotency-key': name }));
    assert.equal(status, 202, name);
  }

  async #report(id: string, event: string, side: Side): Promise<void> {
    const merchant = side === 'INITIATOR' ? this.#left : this.#right;
    const body = JSON.stringify({ event, tradeSessionId: id, side });
    const status = await this.#post('/v1/webhooks/inbound', merchant.key, body, () => ({
      'x-service-signature': signatureOf(merchant.signingSecret, body, systemClock.now()),
    }));
    assert.equal(status, 200, `${event} ${side}`);
  }

  async #lanes<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
    const queue = [...items];
    const lane = async (): Promise<void> => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
    };
    await Promise.all(Array.from({ length: 12 }, lane));
  }

  async #get(path: string): Promise<ReturnType<ServiceProcess['call']> | null> {
    return this.#service.call('GET', path, undefined, this.#platform.key).catch((error: Error) => {
      // The service is away, or on its way.
      if (error instanceof TypeError || error.message.includes(': 503 ')) return null;
      throw error;
    });
  }

  /** Every trade: its id by the number of its offer. Null while the service is away. */
  async #ids(status: string): Promise<Map<number, string> | null> {
    const ids = new Map<number, string>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await this.#get(`/v1/trades?limit=100${status}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      if (page === null) return null;
      for (const { offerId, tradeSessionId } of page.data)
        ids.set(Number((offerId as string).split('-')[1]), tradeSessionId as string);
      cursor = page.nextCursor;
    }
    return ids;
  }

  /** From the offers to whatever each trade is to come to. */
  async run(): Promise<void> {
    const numbers = Array.from({ length: this.#count }, (_, i) => i);
    const batches = Array.from({ length: Math.ceil(this.#count / BATCH) }, (_, b) =>
      numbers.slice(b * BATCH, (b + 1) * BATCH),
    );
    await this.#lanes(batches, (batch) =>
      this.#publish(
        `offers-${batch[0]}`,
        batch.flatMap((i) => ['offer.created', 'offer.accepted'].map((event) => ({ event, data: this.#terms(i) }))),
      ),
    );
    let ids = new Map<number, string>();
    const all = async (): Promise<boolean> => (ids = (await this.#ids('')) ?? ids).size === this.#count;
    await until('a session for every offer', all, 300_000, LOOK_MS);
    await this.#lanes(batches, (batch) =>
      this.#publish(
        `accepted-${batch[0]}`,
        batch.map((i) => ({ event: 'trade.accepted', data: { tradeSessionId: ids.get(i), ...this.#terms(i) } })),
      ),
    );
    const none = async (): Promise<boolean> => (await this.#ids('&status=CREATED'))?.size === 0;
    await until('checkouts for every trade', none, 300_000, LOOK_MS);
    await this.#lanes(numbers, async (i) => {
      const id = ids.get(i) as string;
      for (const [n, [event, side]] of (PLANS[i % PLANS.length] as Plan).entries()) {
        if (side === null)
          await this.#publish(`cancelled-${i}`, [{ event, data: { tradeSessionId: id, reason: 'DECLINED' } }]);
        else {
          await this.#report(id, event, side);
          if ((i + n) % TWICE === 0) await this.#report(id, event, side);
        }
      }
    });
    await until(
      'every reader is at the end of the log',
      async () => {
        const readers = await this.#get('/v1/admin/readers');
        return readers?.data.every((reader: { name: string; lag: number; retrying: number }) =>
          reader.name === 'audit-seal' ? true : reader.lag === 0 && reader.retrying === 0,
        ) as boolean;
      },
      300_000,
      LOOK_MS,
    );
  }

  /** What each trade came to: its end, its events, what its users were told, and what their scores became. */
  async outcomes(): Promise<Map<number, object>> {
    const found = new Map<number, object>();
    const ids = (await this.#ids('')) as Map<number, string>;
    await this.#lanes([...ids], async ([i, id]) => {
      const trade = await this.#get(`/v1/trades/${id}`);
      const of = (kind: string, ...fields: string[]): string[] =>
        trade.timeline
          .filter((entry: { kind: string }) => entry.kind === kind)
          .map((entry: Record<string, unknown>) => fields.map((field) => entry[field]).join(' '))
          .toSorted();
      const { status, reason, reservations, initiator, counterparty } = trade;
      found.set(i, {
        status,
        reason,
        sides: [initiator, counterparty].map((side) => [side.checkout?.status, side.fulfillment?.status]),
        reservations: reservations.map((one: { status: string }) => one.status).toSorted(),
        events: of('EVENT', 'event'),
        notifications: of('NOTIFICATION', 'userId', 'text'),
        reputation: of('REPUTATION', 'userId', 'delta', 'reason'),
      });
    });
    const { data: readers } = await this.#get('/v1/admin/readers');
    for (const { name, setAside } of readers) assert.equal(setAside, 0, name);
    return found;
  }
}
