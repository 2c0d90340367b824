import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { uuidv7 } from '../../src/lib/ids.ts';
import { deliveriesOf, type Tenant, type TestNode } from './engine.ts';
import { type Receiver, startReceiver } from './receiver.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
export type Body = any;

export interface Seed {
  status?: string;
  count?: number;
  errorClass?: string;
  webhook?: string;
  /** So long ago. Milliseconds. */
  age?: number;
}

/** An account with an endpoint. */
export interface Shop {
  tenant: Tenant;
  endpoint: Body;
  receiver: Receiver;
}

/** Accounts with deliveries that have ended somehow, and jobs on them. */
export class DeadLetters {
  readonly #node: TestNode;

  constructor(node: TestNode) {
    this.#node = node;
  }

  async shop(): Promise<Shop> {
    const [tenant, receiver] = [await this.#node.tenant(), await startReceiver()];
    return { tenant, receiver, endpoint: await this.#node.endpoint(tenant, receiver.url()) };
  }

  /** A new id of an earlier time; `uuidv7` gives none below its last. */
  #oldId(ms: number, n: number): string {
    const hex = Math.floor(ms).toString(16).padStart(12, '0');
    const own = uuidv7(this.#node.clock.now()).slice(18);
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7${n.toString(16).padStart(3, '0')}${own}`;
  }

  /** Deliveries as they are when all attempts failed; they send the text `{}`. */
  async seed({ tenant, endpoint }: Pick<Shop, 'tenant' | 'endpoint'>, more: Seed = {}): Promise<string[]> {
    const { db, clock } = this.#node;
    const { status = 'DEAD', count = 1, errorClass = 'TIMEOUT', webhook = 'offer.created', age = 60_000 } = more;
    const ids = Array.from({ length: count }, (_, i) => this.#oldId(clock.now() - age, i));
    const time = new Date(clock.now() - age);
    const log = JSON.stringify({
      attempt: 5,
      at: time.toISOString(),
      durationMs: 1,
      signature: '',
      standardSignature: '',
      responseStatus: null,
      responseHeaders: null,
      responseBody: null,
      errorClass,
      errorMessage: `said ${errorClass}`,
    });
    await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, next_attempt_at,
        request_id, error_class, body, attempt_log, created_at, updated_at)
      select id, gen_random_uuid(), ${webhook}, ${endpoint.id}, ${tenant.id}, ${status}, 5,
        case when ${status} = 'PENDING' then ${time}::timestamptz end, 'r', ${errorClass}, '{}', ${`${log}\n`}, ${time}, ${time}
      from unnest(${ids}::uuid[]) as d (id)`.execute(db);
    return ids;
  }

  /** Makes a job. */
  begin(tenant: Tenant, body: object, what = 'replay'): Promise<Body> {
    return this.#node.ok(202, 'POST', `/v1/webhooks/deliveries/${what}`, { key: tenant.key, body });
  }

  jobOf(tenant: Tenant, id: string): Promise<Body> {
    return this.#node.ok(200, 'GET', `/v1/webhooks/replays/${id}`, { key: tenant.key });
  }

  /** Portions until nothing is to be done at this moment. */
  async work(): Promise<void> {
    while (await this.#node.service.modules.webhooks.jobs.step());
  }

  /** All portions, however slow they are to be. */
  async finish(tenant: Tenant, id: string): Promise<Body> {
    for (let i = 0; i < 100; i++) {
      await this.work();
      const job = await this.jobOf(tenant, id);
      if (job.state !== 'RUNNING') return job;
      this.#node.clock.advance(1000);
    }
    return assert.fail('the job does not end');
  }

  /** The deliveries that the replays to an endpoint are of. */
  async replaysOf(endpointId: string): Promise<string[]> {
    return (await deliveriesOf(this.#node.db, endpointId)).flatMap((d) => d.replay_of ?? []);
  }
}
