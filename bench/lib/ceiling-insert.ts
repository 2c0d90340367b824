/**
 * The ceiling of publishing: rows inserted into the log as fast as the driver and PostgreSQL do it, with nothing else around.
 * `node bench/lib/ceiling-insert.ts <database> <file of bodies> <seconds>` prints `{rows, seconds}`. Everything but the ids is
 * made before the time is taken.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { subjectOf, tradeSessionIdOf } from '../../src/contracts/events/index.ts';
import type { EventInput } from '../../src/modules/events/schemas.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { texts, tokens } from '../../src/platform/db/index.ts';

/** Rows of a statement, and connections: more of either were no faster. */
const ROWS = 1000;
const CONNECTIONS = 2;

const [databaseUrl, file, seconds] = process.argv.slice(2) as [string, string, string];
const inputs = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as EventInput & { event: Parameters<typeof subjectOf>[0] });
const portions = Array.from({ length: Math.floor(inputs.length / ROWS) }, (_, i) => {
  const part = inputs.slice(i * ROWS, (i + 1) * ROWS);
  return [
    tokens(part.map((e) => e.event)),
    texts(part.map((e) => JSON.stringify(e.data))),
    texts(part.map((e) => tokens(e.accountIds))),
    texts(part.map((e) => subjectOf(e.event, e.data))),
    texts(part.map((e) => tradeSessionIdOf(e.event, e.data))),
  ];
});
const INSERT = `
  insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id)
  select nextval('event_positions'), e.id, e.event, e.data::json, e.accounts::uuid[], e.subject, e.trade, $7, $7, $8
  from unnest($1::text::uuid[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[])
    as e (id, event, data, accounts, subject, trade)`;

let next = 0;
let rows = 0;
const started = performance.now();
const until = started + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    while (performance.now() < until) {
      const portion = portions[next++ % portions.length] as string[];
      const now = Date.now();
      const ids = tokens(Array.from({ length: ROWS }, () => uuidv7(now)));
      const request = uuidv7(now);
      await client.query({ name: 'insert', text: INSERT, values: [ids, ...portion, new Date(now), request] });
      rows += ROWS;
    }
    await client.end();
  }),
);
console.log(JSON.stringify({ rows, seconds: (performance.now() - started) / 1000 }));
process.exit(0);
