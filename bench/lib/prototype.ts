/**
 * The least that does the same job, to measure the service against: the design of docs/adr/0005 and nothing around it. An
 * event is committed in a group before its 202, with an outbox row; it is handed on in memory, signed and sent by undici's
 * `dispatch`; each delivery's row is written once, in bulk, with its outcome, and the outbox row is deleted with the last of its event. One
 * thread, like the prototypes it is built after. There is no framework, no key, no validation, no limit, no log of attempts, no retry, no reaction, no seal and no index but the keys.
 *
 * `node bench/lib/prototype.ts <database url> <port of the receiver> <endpoints of each account>` prints its port.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { Agent } from 'undici';
import { uuidv7 } from '../../src/lib/ids.ts';

const [databaseUrl, to, endpoints] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const pool = new Pool({ connectionString: databaseUrl, max: 8 });
const agent = new Agent({ connections: 64, pipelining: 1 });
const secret = createSecretKey(Buffer.from('whsec_0zq4gq4UCKJ6p6aXLv3uC'));
const MAX_ROWS = 500;

await pool.query(`create table events (id uuid primary key, event text not null, data text not null, accounts text not null, at timestamptz not null);
  create table outbox (event_id uuid primary key);
  create table deliveries (id uuid primary key, event_id uuid not null, account_id uuid not null, endpoint int not null, status text not null, code int, took_ms int, at timestamptz not null)`);

/** Rows wait until no statement of theirs is under way, then go together: the next batch forms while the last commits. */
class Batches<T> {
  waiting: T[] = [];
  underWay = 0;
  readonly write: (rows: T[]) => Promise<void>;
  readonly atOnce: number;
  constructor(atOnce: number, write: (rows: T[]) => Promise<void>) {
    this.atOnce = atOnce;
    this.write = write;
  }
  add(row: T): void {
    this.waiting.push(row);
    if (this.waiting.length === 1) setImmediate(() => this.next());
  }
  next(): void {
    while (this.underWay < this.atOnce && this.waiting.length > 0) {
      this.underWay++;
      void this.write(this.waiting.splice(0, MAX_ROWS)).finally(() => {
        this.underWay--;
        this.next();
      });
    }
  }
}

interface Given {
  event: string;
  data: object;
  accountIds: string[];
}
interface Taken extends Given {
  id: string;
  at: Date;
  /** Deliveries without an outcome. */
  left: number;
  committed: (id: string) => void;
}
interface Outcome {
  id: string;
  taken: Taken;
  account: string;
  endpoint: number;
  code: number;
  tookMs: number;
}

const events = new Batches<Taken>(2, async (rows) => {
  await pool.query({
    name: 'events',
    text: `with e as (insert into events select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]))
           insert into outbox select unnest($1::uuid[])`,
    values: [
      rows.map((r) => r.id),
      rows.map((r) => r.event),
      rows.map((r) => JSON.stringify(r.data)),
      rows.map((r) => r.accountIds.join()),
      rows.map((r) => r.at),
    ],
  });
  for (const row of rows) {
    row.committed(row.id);
    for (const account of row.accountIds) for (let e = 0; e < endpoints; e++) send(row, account, e);
  }
});

// One statement at a time: the outbox row goes with the last outcome, so the others have to be there.
const outcomes = new Batches<Outcome>(1, async (rows) => {
  await pool.query({
    name: 'deliveries',
    text: `with d as (insert into deliveries select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::int[], $7::int[], $8::timestamptz[]))
           delete from outbox where event_id = any($9::uuid[])`,
    values: [
      rows.map((r) => r.id),
      rows.map((r) => r.taken.id),
      rows.map((r) => r.account),
      rows.map((r) => r.endpoint),
      rows.map((r) => (r.code < 300 ? 'SUCCEEDED' : 'FAILED')),
      rows.map((r) => r.code),
      rows.map((r) => r.tookMs),
      rows.map((r) => r.taken.at),
      rows.filter((r) => --r.taken.left === 0).map((r) => r.taken.id),
    ],
  });
});

function send(taken: Taken, account: string, endpoint: number): void {
  const id = uuidv7(Date.now());
  const body = JSON.stringify({ id, event: taken.event, timestamp: taken.at.toISOString(), data: taken.data });
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const startedAt = performance.now();
  let code = 0;
  agent.dispatch(
    {
      origin: `http://127.0.0.1:${to}`,
      path: '/',
      method: 'POST',
      body,
      headers: ['content-type', 'application/json', 'x-service-signature', `t=${t},v1=${v1}`],
    },
    {
      onRequestStart() {},
      onResponseStart(_controller: unknown, status: number) {
        code = status;
      },
      onResponseData() {},
      onResponseEnd() {
        outcomes.add({ id, taken, account, endpoint, code, tookMs: Math.round(performance.now() - startedAt) });
      },
      onResponseError(_controller: unknown, error: Error) {
        throw error;
      },
    },
  );
}

const server = createServer((request, reply) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (text += part));
  request.on('end', () => {
    const given = JSON.parse(text) as Given & { events?: readonly Given[] };
    const all = given.events ?? [given];
    let open = all.length;
    const committed = (id: string): void => {
      if (--open === 0) reply.writeHead(202, { 'content-type': 'application/json' }).end(`{"id":"${id}"}`);
    };
    for (const { event, data, accountIds } of all) {
      const left = accountIds.length * endpoints;
      events.add({ id: uuidv7(Date.now()), event, data, accountIds, at: new Date(), left, committed });
    }
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
