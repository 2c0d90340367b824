import { addLikers, storm } from '../blog/storms.ts';
import type { BlogPlan, PlannedPost } from '../blog/plan.ts';
import { queriesOf } from '../blog/queries.ts';
import { atRate } from '../lib/at-rate.ts';
import { cpuOf, cpuOfPostgres } from '../lib/cpu.ts';
import { SMALL } from '../lib/event.ts';
import { account, type BenchService, child, service, withClient } from '../lib/processes.ts';
import type { PublisherJob } from '../lib/publisher.ts';
import { type Receiver, settled } from '../lib/receivers.ts';
import { untilRead } from '../lib/until-read.ts';
import { load, wrk } from '../lib/wrk.ts';
import { fillLog } from './fill.ts';

export const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
/** Audiences at fan-out 1 and at fan-out 10, merchants of one, and endpoints of a merchant. */
const SHAPES = {
  one: { audiences: 20, merchants: 1, endpoints: 1 },
  ten: { audiences: 10, merchants: 2, endpoints: 5 },
};
type Shape = keyof typeof SHAPES;
const CONNECTIONS: Readonly<Record<Shape, number>> = { one: 128, ten: 16 };
/** Lists, searches and pages a second, without the cache. */
const QUERIES_PER_SECOND = 50;
/** Different ones of a kind: enough for the load, and no more than the small blog has. */
const DIFFERENT = QUERIES_PER_SECOND * SECONDS;

export interface SideOptions {
  url: string;
  plan: BlogPlan;
  port: number;
  to: Receiver;
  /** Events, with twice as many deliveries, that are there before anything is measured. */
  events: number;
  told: (what: string) => void;
}

/** What was measured, by name; of each the unit. */
export type Figures = Map<string, number>;

/** Until nothing is left to be done. */
async function untilQuiet(url: string): Promise<void> {
  await untilRead(url);
  await withClient(url, (client) => client.query('checkpoint'));
}

/** A database, and the services on it that are measured. */
export class Side {
  readonly #options: SideOptions;
  readonly #hot: PlannedPost;
  readonly #queries: ReadonlyMap<string, string[]>;
  #main: BenchService;
  #uncached: BenchService;
  #platform = '';
  #site = '';
  readonly #audiences: Record<Shape, string[][]> = { one: [], ten: [] };

  private constructor(options: SideOptions, main: BenchService, uncached: BenchService) {
    this.#options = options;
    this.#hot = options.plan.engaged()[0] as PlannedPost;
    this.#queries = new Map(queriesOf(options.plan, DIFFERENT));
    this.#main = main;
    this.#uncached = uncached;
  }

  /** Accounts and endpoints first, so that what fills it is theirs. */
  static async start(options: SideOptions): Promise<Side> {
    const { url, port, events, told } = options;
    let main = await service(url, port);
    const side = new Side(options, main, main);
    await side.#prepare();
    if (events > 0) {
      await main.stop();
      await fillLog(url, events, told);
      main = side.#main = await service(url, port);
    }
    side.#uncached = await service(url, port + 1, { BLOG_CACHE_MB: '0' }, ['--role', 'api']);
    await addLikers(url);
    return side;
  }

  async #prepare(): Promise<void> {
    const s = this.#main;
    this.#platform = (await account(s, 'PLATFORM', ['events:publish'])).key;
    this.#site = (await account(s, 'SITE', ['blog:read'])).key;
    const url = `http://127.0.0.1:${this.#options.to.port}/`;
    for (const [shape, { audiences, merchants, endpoints }] of Object.entries(SHAPES)) {
      for (let a = 0; a < audiences; a++) {
        const ids: string[] = [];
        for (let m = 0; m < merchants; m++) {
          const { id, key } = await account(s, 'MERCHANT', ['webhooks:manage']);
          for (let e = 0; e < endpoints; e++)
            await s.call('POST', '/v1/webhooks/endpoints', { url, maxInFlight: 64 }, key);
          ids.push(id);
        }
        this.#audiences[shape as Shape].push(ids);
      }
    }
  }

  #publish(shape: Shape, seconds: number): Promise<number> {
    const args = [this.#platform, SMALL, ...this.#audiences[shape].map((ids) => JSON.stringify(ids))];
    const options = { connections: CONNECTIONS[shape], seconds, script: 'publish.lua', args };
    return wrk(`http://127.0.0.1:${this.#options.port}`, options);
  }

  /** At a rate: from the publisher's write to the receiver's read. Milliseconds. */
  async latency(shape: Shape, rate: number, seconds: number): Promise<{ p50: number; p99: number }> {
    const { to, url } = this.#options;
    await to.ask('reset');
    await this.publishAt(shape, rate, seconds);
    const { p50, p99 } = await settled(to);
    await untilQuiet(url);
    return { p50, p99 };
  }

  async publishAt(shape: Shape, rate: number, seconds: number): Promise<void> {
    const { port } = this.#options;
    const job: PublisherJob = {
      port,
      key: this.#platform,
      audiences: this.#audiences[shape],
      event: SMALL,
      connections: 256,
      seconds,
      rate,
    };
    const said = JSON.parse(await child('./publisher.ts', [JSON.stringify(job)]).line()) as { answered: number };
    if (said.answered < 0.98 * rate * seconds) throw new Error(`only ${said.answered} of ${rate * seconds} were taken`);
  }

  /** `rate`: of deliveries for the latency; null: half of what was delivered at full speed. */
  async deliveries(shape: Shape, figures: Figures, rate: number | null): Promise<number> {
    const { to, url } = this.#options;
    const fanOut = SHAPES[shape].merchants * SHAPES[shape].endpoints;
    const name = `fan-out ${fanOut}`;
    await this.#publish(shape, 2);
    const before = (await settled(to)).count;
    await untilQuiet(url);
    const cpu = [cpuOf(this.#main.pid), cpuOfPostgres()] as const;
    const startedAt = Number(process.hrtime.bigint());
    await this.#publish(shape, SECONDS);
    const after = await settled(to);
    const count = after.count - before;
    const perSecond = count / ((after.lastAt - startedAt) / 1e9);
    figures.set(`${name}: delivered/s`, perSecond);
    figures.set(`${name}: service µs each`, ((cpuOf(this.#main.pid) - cpu[0]) * 1e6) / count);
    figures.set(`${name}: PostgreSQL µs each`, ((cpuOfPostgres() - cpu[1]) * 1e6) / count);
    await untilQuiet(url);
    const at = rate ?? perSecond / 2;
    const { p50, p99 } = await this.latency(shape, Math.round(at / fanOut), SECONDS);
    figures.set(`${name}, ${Math.round(at)} deliveries/s: p50 ms`, p50);
    figures.set(`${name}, ${Math.round(at)} deliveries/s: p99 ms`, p99);
    return at;
  }

  async reads(figures: Figures): Promise<void> {
    const { port } = this.#options;
    const headers = [`Authorization: Bearer ${this.#site}`];
    const paths = {
      'cached list': '/v1/blog/posts',
      'cached detail': `/v1/blog/posts/${this.#hot.slug}`,
      'comments page': `/v1/blog/posts/${this.#hot.slug}/comments`,
    };
    for (const [name, path] of Object.entries(paths)) {
      const url = `http://127.0.0.1:${port}${path}`;
      await load(url, { connections: 32, seconds: 1, headers });
      figures.set(`${name}: requests/s`, (await load(url, { connections: 32, seconds: SECONDS, headers })).perSecond);
    }
    const cursor = (i: number): string => Buffer.from(`p${1000 + 37 * i}`).toString('base64url');
    const [merchant] = this.#audiences.one[0] as string[];
    const pages: [name: string, key: string, paths: string[]][] = [
      ...[...this.#queries].map(([name, all]): [string, string, string[]] => [name, this.#site, all]),
      ['audit trail, newest', this.#main.operator, ['/v1/events?limit=50']],
      [
        'audit trail, deep',
        this.#main.operator,
        Array.from({ length: 20 }, (_, i) => `/v1/events?limit=50&cursor=${cursor(i)}`),
      ],
      ['audit trail of an account', this.#main.operator, [`/v1/events?limit=50&accountId=${merchant}`]],
      ['deliveries of an account', this.#main.operator, [`/v1/webhooks/deliveries?limit=50&accountId=${merchant}`]],
    ];
    for (const [name, key, all] of pages) {
      const origin = `http://127.0.0.1:${this.#uncached.port}`;
      const result = await atRate({ origin, key, paths: all, rate: QUERIES_PER_SECOND, seconds: SECONDS }, name);
      figures.set(`${name}: p50 ms`, result.p50);
      figures.set(`${name}: p99 ms`, result.p99);
    }
  }

  async writes(figures: Figures): Promise<void> {
    const target = { service: this.#main, databaseUrl: this.#options.url, key: this.#site };
    for (const kind of ['like', 'view'] as const)
      figures.set(`${kind}s of one post: /s`, (await storm(target, kind, 2)).perSecond);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#main.stop(), this.#uncached.stop()]);
  }
}
