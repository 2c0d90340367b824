/**
 * Publishes what a marketplace has written down in its outbox: a file with one event in each line. Cut off at any
 * moment and begun again, it goes on behind what was answered, and nothing is published twice.
 *
 *     POSTHORN_URL=http://127.0.0.1:3000 POSTHORN_KEY=… OUTBOX=outbox.ndjson npm run marketplace-publisher -w examples
 *
 * The key needs the scope `events:publish`. In place of the file there would be a table that the marketplace writes in the
 * transaction of the change; the cursor is the last number that was published.
 */
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@posthorn/client';

const {
  POSTHORN_URL = 'http://127.0.0.1:3000',
  POSTHORN_KEY,
  OUTBOX: named = 'outbox.ndjson',
  INIT_CWD = '.',
} = process.env;
if (!POSTHORN_KEY) {
  console.error('POSTHORN_KEY is missing: an API key with the scope events:publish');
  process.exit(1);
}
/** From where the command was given: npm itself runs it in the folder of the examples. */
const OUTBOX = resolve(INIT_CWD, named);
const posthorn = createClient({ baseUrl: POSTHORN_URL, credential: POSTHORN_KEY, maxRetries: 10 });

/** Events of one request: all of them are kept, or none. */
const BATCH = 100;
const cursorFile = `${OUTBOX}.published`;

/** How many lines are published, and how many the request has that may have been under way when the process ended. */
interface Cursor {
  done: number;
  sending: number;
}

/** Only where there is none does it begin: one that cannot be read must not publish everything again. */
async function readCursor(): Promise<Cursor> {
  if (!existsSync(cursorFile)) return { done: 0, sending: 0 };
  return JSON.parse(await readFile(cursorFile, 'utf8')) as Cursor;
}

async function remember(cursor: Cursor): Promise<void> {
  const file = await open(`${cursorFile}.new`, 'w');
  await file.writeFile(JSON.stringify(cursor));
  await file.sync();
  await file.close();
  await rename(`${cursorFile}.new`, cursorFile);
}

interface OutboxLine {
  /** The marketplace's own, never used twice. */
  id: string;
  event: string;
  data: Record<string, unknown>;
  accountIds: string[];
  occurredAt?: string;
}

const cursor = await readCursor();
/** Lines of the next request: those of one that was cut off again, neither more nor fewer, though the outbox has grown. */
let wanted = cursor.sending || BATCH;
let batch: OutboxLine[] = [];

/** Which lines a request has is written down before it goes, so that it has the same key whenever it is repeated. */
async function send(): Promise<void> {
  if (batch.length === 0) return;
  await remember({ done: cursor.done, sending: batch.length });
  const events = batch.map(({ id: _id, ...event }) => event);
  await posthorn.publishEvents({ body: { events } }, { idempotencyKey: `outbox-${batch[0]?.id}` });
  cursor.done += batch.length;
  await remember({ done: cursor.done, sending: 0 });
  console.log(`${cursor.done} published, up to ${batch.at(-1)?.id}`);
  batch = [];
  wanted = BATCH;
}

let line = 0;
for await (const text of createInterface({ input: createReadStream(OUTBOX) })) {
  if (line++ < cursor.done) continue;
  batch.push(JSON.parse(text) as OutboxLine);
  if (batch.length === wanted) await send();
}
await send();
console.log(`nothing is left in ${OUTBOX}`);
