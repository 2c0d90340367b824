import { monotonicNow } from '../../lib/clock.ts';
import { type Api, PlayError } from './api.ts';
import type { Demo } from './demo-file.ts';
import { type Arrival, type Receiver, startReceiver } from './receiver.ts';
import type { Publishing, Reporting, Step } from './scenario.ts';

/** By this an endpoint is known as one of ours, also one that a killed run has left behind. */
const DESCRIPTION = 'npm run demo';
/** Loopback takes milliseconds; after this something is wrong. */
const ARRIVAL_TIMEOUT_MS = 10_000;

const PATHS = { merchant: '/v1/webhooks/endpoints', business: '/v1/webhooks/business-subscriptions' } as const;
type Kind = keyof typeof PATHS;
const KINDS = Object.keys(PATHS) as Kind[];

/** An account of the demo with its credentials. Throws PlayError when the file lacks it. */
export function accountOf(demo: Demo, who: string): { id: string; key: string; signingSecret: string } {
  const account = demo.accounts.find((a) => a.who === who);
  if (!account?.key || !account.signingSecret) {
    throw new PlayError(`demo.json has no key of ${who}; delete the data folder and start the service again.`);
  }
  return { id: account.id, key: account.key, signingSecret: account.signingSecret };
}

/** A delivery as it is shown: what came, and how long after its event was published. Milliseconds. */
export interface Shown extends Arrival {
  afterMs: number;
}

/** The receiver, its endpoints, and the events of one run. */
export class Stage {
  readonly #api: Api;
  readonly #demo: Demo;
  readonly #show: (shown: Shown) => void;
  readonly #waiting = new Map<string, (arrival: Arrival) => void>();
  readonly #publishedAt = new Map<string, number>();
  readonly #run: string;
  /** What is in every body of this run: in ids that it has chosen, or that of its trade session. */
  readonly #marks: string[];
  #published = 0;
  #receiver: Receiver | undefined;
  readonly #endpoints: { kind: Kind; id: string }[] = [];
  #closing: Promise<void> | undefined;
  /** Everything that arrived. */
  readonly arrivals: Shown[] = [];

  constructor(api: Api, demo: Demo, run: string, show: (shown: Shown) => void) {
    this.#api = api;
    this.#demo = demo;
    this.#run = run;
    this.#marks = [run];
    this.#show = show;
  }

  get receiverUrl(): string {
    return this.#receiver?.url ?? '';
  }

  keyOf(who: string): string {
    return accountOf(this.#demo, who).key;
  }

  /** Starts the receiver and registers it, after removing what an earlier run has left. */
  async open(): Promise<void> {
    const secrets = new Map<string, string>(KINDS.map((k) => [`/${k}`, accountOf(this.#demo, k).signingSecret]));
    this.#receiver = await startReceiver(
      (path) => secrets.get(path),
      (arrival) => this.#arrived(arrival),
    );
    for (const kind of KINDS) {
      await this.#removeOld(kind);
      const body = { url: `${this.#receiver.url}/${kind}`, description: DESCRIPTION };
      const { id } = await this.#api.call<{ id: string }>('POST', PATHS[kind], this.keyOf(kind), { body });
      this.#endpoints.push({ kind, id });
    }
  }

  async #removeOld(kind: Kind): Promise<void> {
    const key = this.keyOf(kind);
    type Page = { data: { id: string; description: string }[] };
    const { data } = await this.#api.call<Page>('GET', `${PATHS[kind]}?limit=100`, key);
    for (const { id, description } of data) {
      if (description === DESCRIPTION) await this.#api.call('DELETE', `${PATHS[kind]}/${id}`, key);
    }
  }

  #arrived(arrival: Arrival): void {
    // What somebody else publishes to these accounts meanwhile is not part of the play.
    const text = JSON.stringify(arrival.body);
    if (!this.#marks.some((mark) => text.includes(mark))) return;
    const shown = { ...arrival, afterMs: arrival.atMs - (this.#publishedAt.get(arrival.event) ?? arrival.atMs) };
    this.arrivals.push(shown);
    this.#show(shown);
    this.#waiting.get(arrival.event)?.(arrival);
    this.#waiting.delete(arrival.event);
  }

  /** The next arrival of this event. Throws PlayError when it does not come. */
  #next(event: string): Promise<Arrival> {
    const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
    const late = (): void =>
      reject(
        new PlayError(
          `${event} was published and did not arrive within ${ARRIVAL_TIMEOUT_MS / 1000} s. What does the service's log say?`,
        ),
      );
    // The receiver keeps the process alive while this matters.
    const timer = setTimeout(late, ARRIVAL_TIMEOUT_MS).unref();
    this.#waiting.set(event, resolve);
    return promise.finally(() => clearTimeout(timer));
  }

  /** The session that was opened for the offer of this run, once `trade.created` has come. Throws PlayError before. */
  tradeSession(): string {
    const id = this.arrivals.find((arrival) => arrival.event === 'trade.created')?.body['tradeSessionId'];
    if (typeof id !== 'string') throw new PlayError('trade.created has not come, or names no trade session');
    this.#marks.push(id);
    return id;
  }

  /** Publishes or reports, and waits until each webhook that comes of it has arrived. */
  async play(step: Step): Promise<void> {
    const arrived = Promise.all(step.webhooks.map((name) => this.#next(name)));
    const start = monotonicNow();
    for (const name of step.webhooks) this.#publishedAt.set(name, start);
    await Promise.all([arrived, 'report' in step ? this.#report(step) : this.#publish(step)]);
  }

  async #publish({ event, data, to }: Publishing): Promise<void> {
    const body = { event, data, accountIds: [accountOf(this.#demo, to).id] };
    const idempotencyKey = `demo-${this.#run}-${++this.#published}`;
    await this.#api.call('POST', '/v1/events', this.keyOf('platform'), { body, idempotencyKey });
  }

  async #report({ report, by }: Reporting): Promise<void> {
    const { key, signingSecret: signWith } = accountOf(this.#demo, by);
    await this.#api.call('POST', '/v1/webhooks/inbound', key, { body: report, signWith });
  }

  /** As `play`, with a receiver that answers 500 once. */
  async playFailing(step: Publishing): Promise<void> {
    this.#receiver?.failNext(step.event);
    await this.play(step);
  }

  /** Asks for the delivery again and waits until it has arrived. */
  async replay(event: string, deliveryId: string): Promise<Arrival> {
    const arrived = this.#next(event);
    this.#publishedAt.set(event, monotonicNow());
    const asked = this.#api.call('POST', `/v1/webhooks/deliveries/${deliveryId}/replay`, this.keyOf('merchant'));
    return (await Promise.all([arrived, asked]))[0];
  }

  /** Removes the endpoints and stops the receiver. A second call waits for the first. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const { kind, id } of this.#endpoints) {
      // A service that is gone has nothing to be cleaned up; the next run removes what is left.
      await this.#api.call('DELETE', `${PATHS[kind]}/${id}`, this.keyOf(kind)).catch(() => undefined);
    }
    await this.#receiver?.close();
  }
}
