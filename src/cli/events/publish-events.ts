import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { type Client, type Operations, PosthornError } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { Failure, wrongUse } from '../failure.ts';
import { readStdin } from '../output/ask.ts';
import { printDone, remark } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';

/** In one request, which the service keeps whole or not at all. */
const BATCH = 500;

type Body = Operations['publishEvents']['input']['body'];
type Events = NonNullable<Body['events']>;
type Published = Operations['publishEvents']['reply']['data'];

/** What a file of events may be: one, an array of them, `{events}`, or one in each line. The service checks the rest. */
function eventsIn(text: string, file: string): Events {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (whole) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      value = lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      throw new Failure(`cannot read ${file}: ${(whole as Error).message}; nothing was published`);
    }
  }
  const events = Array.isArray(value) ? value : ((value as Body | null)?.events ?? [value]);
  if (events.length === 0) throw new Failure(`there is no event in ${file}`);
  return events as Events;
}

/**
 * The Idempotency-Key of a batch, by what it holds and where: the same file again is the same events, so that whoever does not
 * know how far the last run came can run it again.
 */
function keyOf(batch: unknown, at: number): string {
  return `posthorn-events-${at}-${createHash('sha256').update(JSON.stringify(batch)).digest('hex')}`;
}

/** A file of more than one batch can break off between two, so it can be run again; `again` publishes it anew. */
async function publishAll(client: Client, events: Events, again: boolean): Promise<Published> {
  const published: Published = [];
  let known = 0;
  const line = progressLine('events', events.length);
  try {
    for (let at = 0; at < events.length; at += BATCH) {
      const batch = events.slice(at, at + BATCH);
      const call = again || events.length <= BATCH ? {} : { idempotencyKey: keyOf(batch, at) };
      const { data, headers } = await client.publishEvents({ body: { events: batch } }, call).withHeaders();
      published.push(...data.data);
      if (headers.has('idempotency-replayed')) known += batch.length;
      line.show(published.length);
    }
  } catch (error) {
    line.end();
    const isRefused = error instanceof PosthornError && error.status !== null && error.status < 500;
    if (events.length <= BATCH && !isRefused)
      remark('Whether they were published is not known: look at `posthorn events list` before you run it again.');
    if (events.length > BATCH && (published.length > 0 || !isRefused))
      remark(
        `The first ${published.length} of ${events.length} events are published; run it again within 24 hours, and none is published twice.`,
      );
    throw error;
  }
  line.end();
  if (known > 0)
    remark(`${known} of ${events.length} had been published by an earlier run, and were not again (--again does).`);
  return published;
}

/** `posthorn events publish`. */
export const publishCommand = (): Command =>
  new Command('publish')
    .description('Publish events of a JSON file: {event, data, accountIds}, an array of them, or one in each line.')
    .argument('<file>', 'or - for standard input')
    .option(
      '--again',
      `publish a file of more than ${BATCH} events that was published within the last 24 hours once more`,
    )
    .addHelpText(
      'after',
      `
Up to ${BATCH} events are published together or not at all; of more, so many at a time. A run that broke off can be repeated within 24
hours: what was published is not published twice.`,
    )
    .action(
      action<{ again?: boolean }, [file: string]>(async (options, file) => {
        const text =
          file === '-'
            ? await readStdin()
            : await readFile(file, 'utf8').catch((error: Error) => {
                throw wrongUse(`cannot read ${file}: ${error.message}`);
              });
        const { client } = await connect(options, { patient: true });
        const data = await publishAll(client, eventsIn(text, file), options.again === true);
        const told =
          data.length > 10
            ? `${data.length} events are published.`
            : data.map(({ id, event }) => `${event}  ${id}`).join('\n');
        printDone(told, { data }, options);
      }),
    );
