import { addLikers, storm } from '../blog/storms.ts';
import type { BlogPlan, PlannedPost } from '../blog/plan.ts';
import { queriesOf } from '../blog/queries.ts';
import { atRate } from '../lib/at-rate.ts';
import { cpuOf, cpuOfPostgres } from '../lib/cpu.ts';
import { SMALL } from '../lib/event.ts';
import { account, type BenchService, type Child, child, service, withClient } from '../lib/processes.ts';
import type { PublisherJob } from '../lib/publisher.ts';
import { type Receiver, settled } from '../lib/receivers.ts';
import { untilRead } from '../lib/until-read.ts';
import { load, publishTo } from '../lib/wrk.ts';
import type { Measured } from './figures.ts';
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
/** Others of a kind before the first that count. */
export const WARM_UP = 100;
/** Tables of which lists and searches read something, with all of their indexes; bodies are for a detail, one at a time. */
const LISTED = ['posts', 'post_tags', 'post_counters', 'post_counts', 'post_pair_counts', 'post_search', 'post_words'];

export interface SideOptions {
  url: string;
  plan: BlogPlan;
  port: number;
  to: Receiver;
  /** Events, with twice as many deliveries, that are there before anything is measured. */
  events: number;
  told: (what: string) => void;
}

/** Deliveries a second for the latencies: half of what was delivered at full speed by the side that was measured first. */
export type Rates = Partial<Record<Shape, number>>;

/** One kind of measurement, which is repeated. */
export type Kind = () => Promise<Measured>;

/** Until nothing is left to be done. */
async function untilQuiet(url: string): Promise<void> {
  await untilRead(url);
  await withClient(url, (client) => client.query('checkpoint'));
}

/** As it is where a blog has been read for a while by a PostgreSQL with room for it. */
const readIntoMemory = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query('create extension if not exists pg_prewarm');
    await client.query(
      `select pg_prewarm(r) from pg_class t left join pg_index i on i.indrelid = t.oid,
         lateral (select t.oid::regclass union select i.indexrelid::regclass union select nullif(t.reltoastrelid, 0)::regclass) as a (r)
       where t.relname = any($1) and t.relkind = 'r' and r is not null`,
      [LISTED],
    );
  });

/** A database, and the services on it that are measured. */
export class Side {
  readonly #options: SideOptions;
  readonly #hot: PlannedPost;
  #queries: ReadonlyMap<string, string[]> = new Map();
  #main: BenchService;
  #uncached: BenchService;
  #platform = '';
  #site = '';
  readonly #audiences: Record<Shape, string[][]> = { one: [], ten: [] };

  private constructor(options: SideOptions, main: BenchService, uncached: BenchService) {
    this.#options = options;
    this.#hot = options.plan.engaged()[0] as PlannedPost;
    this.#main = main;
    this.#uncached = uncached;
  }

  /** Accounts and endpoints first, so that what fills it is theirs. */
  static async start(options: SideOptions): Promise<Side> {
    const { url, plan, port, events, told } = options;
    let main = await service(url, port);
    const side = new Side(options, main, main);
    await side.#prepare();
    side.#queries = new Map(await queriesOf({ plan, url }, DIFFERENT + WARM_UP));
    if (events > 0) {
      await main.stop();
      await fillLog(url, events, told);
      main = side.#main = await service(url, port);
    }
    side.#uncached = await service(url, port + 1, { BLOG_CACHE_MB: '0' }, ['--role', 'api']);
    await addLikers(url);
    await readIntoMemory(url);
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
    const to = { key: this.#platform, event: SMALL, audiences: this.#audiences[shape] };
    return publishTo(`http://127.0.0.1:${this.#options.port}`, { ...to, connections: CONNECTIONS[shape], seconds });
  }

  /** A process that publishes at this rate for so long, or until it is stopped. */
  publisher(shape: Shape, rate: number, seconds: number): Child {
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
    return child('./publisher.ts', [JSON.stringify(job)]);
  }

  /** Publishes at this rate for so long. */
  async publishAt(shape: Shape, rate: number, seconds: number): Promise<void> {
    const said = JSON.parse(await this.publisher(shape, rate, seconds).line()) as { answered: number };
    if (said.answered < 0.98 * rate * seconds) throw new Error(`only ${said.answered} of ${rate * seconds} were taken`);
  }

  /** At full speed, and at a rate: from the publisher's write to the receiver's read. */
  async #deliveries(shape: Shape, rates: Rates): Promise<Measured> {
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
    const numbers = {
      [`${name}: delivered/s`]: perSecond,
      [`${name}: service µs each`]: ((cpuOf(this.#main.pid) - cpu[0]) * 1e6) / count,
      [`${name}: PostgreSQL µs each`]: ((cpuOfPostgres() - cpu[1]) * 1e6) / count,
    };
    await untilQuiet(url);
    const rate = (rates[shape] ??= perSecond / 2);
    await to.ask('reset');
    await this.publishAt(shape, Math.round(rate / fanOut), SECONDS);
    await settled(to);
    const { latencies = [] } = await to.ask('latencies');
    await untilQuiet(url);
    return { numbers, times: { [`${name}, ${Math.round(rate)} deliveries/s`]: latencies } };
  }

  async #cached(name: string, path: string): Promise<Measured> {
    const url = `http://127.0.0.1:${this.#options.port}${path}`;
    const headers = [`Authorization: Bearer ${this.#site}`];
    await load(url, { connections: 32, seconds: 1, headers });
    const { perSecond } = await load(url, { connections: 32, seconds: SECONDS, headers });
    return { numbers: { [`${name}: requests/s`]: perSecond } };
  }

  /** At the rate, without the cache. */
  async #pages(name: string, key: string, all: readonly string[]): Promise<Measured> {
    const origin = `http://127.0.0.1:${this.#uncached.port}`;
    const paths = all.slice(0, DIFFERENT);
    const warmUp = all.slice(-WARM_UP);
    const { times } = await atRate({ origin, key, paths, warmUp, rate: QUERIES_PER_SECOND, seconds: SECONDS }, name);
    return { times: { [name]: times } };
  }

  async #storm(kind: 'like' | 'view'): Promise<Measured> {
    const target = { service: this.#main, databaseUrl: this.#options.url, key: this.#site };
    return { numbers: { [`${kind}s of one post: /s`]: (await storm(target, kind, 2)).perSecond } };
  }

  /** All that is measured, the same for both sides. */
  kinds(rates: Rates): Kind[] {
    const cursor = (i: number): string => Buffer.from(`p${1000 + 37 * i}`).toString('base64url');
    const [merchant] = this.#audiences.one[0] as string[];
    const deep = Array.from({ length: DIFFERENT }, (_, i) => `/v1/events?limit=50&cursor=${cursor(i % 20)}`);
    const { operator } = this.#main;
    return [
      () => this.#deliveries('one', rates),
      () => this.#deliveries('ten', rates),
      () => this.#cached('cached list', '/v1/blog/posts'),
      () => this.#cached('cached detail', `/v1/blog/posts/${this.#hot.slug}`),
      () => this.#cached('comments page', `/v1/blog/posts/${this.#hot.slug}/comments`),
      ...[...this.#queries].map(
        ([name, all]): Kind =>
          () =>
            this.#pages(name, this.#site, all),
      ),
      () => this.#pages('audit trail, newest', operator, ['/v1/events?limit=50']),
      () => this.#pages('audit trail, deep', operator, deep),
      () => this.#pages('audit trail of an account', operator, [`/v1/events?limit=50&accountId=${merchant}`]),
      () =>
        this.#pages('deliveries of an account', operator, [`/v1/webhooks/deliveries?limit=50&accountId=${merchant}`]),
      () => this.#storm('like'),
      () => this.#storm('view'),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#main.stop(), this.#uncached.stop()]);
  }
}
