import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { type Client, type Operations, PosthornError } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { Failure, wrongUse } from '../failure.ts';
import { calledAs } from '../option-names.ts';
import { readStdin } from '../output/ask.ts';
import { printDone, remark } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import { BATCH, batchesOf, tooLarge } from './batches.ts';

type Body = Operations['publishEvents']['input']['body'];
type Events = NonNullable<Body['events']>;
interface EventsOfFile {
  events: Events;
  /** What it is called. */
  file: string;
}
type Published = Operations['publishEvents']['reply']['data'];

/** What a file of events may be: one, an array of them, `{events}`, or one in each line. The service checks the rest. */
function eventsIn(text: string, file: string): EventsOfFile {
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
  const within = (value as { events?: unknown } | null)?.events;
  const events = Array.isArray(value) || within === undefined ? [value].flat() : within;
  if (!Array.isArray(events)) throw new Failure(`"events" is no array in ${file}; nothing was published`);
  if (events.length === 0) throw new Failure(`there is no event in ${file}`);
  const large = tooLarge(events);
  if (large !== -1)
    throw new Failure(`event ${large + 1} of ${file} is larger than a request may be; nothing was published`);
  return { events: events as Events, file };
}

/**
 * The Idempotency-Key of a batch, by what it holds and where: the same file again is the same events, so that whoever does not
 * know how far the last run came can run it again.
 */
function keyOf(batch: unknown, at: number): string {
  return `posthorn-events-${at}-${createHash('sha256').update(JSON.stringify(batch)).digest('hex')}`;
}

/** The service said no: what was asked for was not done. */
const isRefusal = (error: unknown): error is PosthornError =>
  error instanceof PosthornError && error.status !== null && error.status < 500 && error.code !== 'UNEXPECTED_REPLY';

/** Of the caller or of the moment, not of what is in the file, which may pass another time. */
const PASSING: readonly string[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'IDEMPOTENCY_IN_PROGRESS'];

interface Broken {
  error: unknown;
  published: number;
  of: number;
  /** Whether it was one request. */
  isOne: boolean;
  again: boolean;
}

/** What may be done after a failure; null: nothing was published, and the error says it all. */
function adviceOn({ error, published, of, isOne, again }: Broken): string | null {
  const isRefused = isRefusal(error);
  if (isOne)
    return isRefused
      ? null
      : 'Whether they were published is not known: look at `posthorn events list` before you run it again.';
  if (published === 0 && isRefused) return null;
  const first = `The first ${published} of ${of} events are published`;
  if (isRefused && (again || !PASSING.includes(error.code)))
    return `${first}, the others are not: publish those from a file of their own.`;
  if (again)
    return `${first}, and whether the next ones were is not known: look at \`posthorn events list\`, and publish the others from a file of their own.`;
  return `${first}; run it again within 24 hours with the file as it is, as the same user, and none is published twice.`;
}

/** Which event of the file a field is of, where `before` came in earlier requests: "event 501 of many.json, data.side". */
const inFile =
  (file: string, before: number) =>
  (path: string): string | undefined => {
    const [, at, field = ''] = /^body\.events\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
    return at && `event ${before + Number(at) + 1} of ${file}${field && `, ${field}`}`;
  };

/** A file of more than one batch can break off between two, so it can be run again; `again` publishes it anew. */
async function publishAll(client: Client, { events, file }: EventsOfFile, again: boolean): Promise<Published> {
  const published: Published = [];
  const batches = batchesOf(events);
  const isOne = batches.length === 1;
  let known = 0;
  const line = progressLine('events', events.length);
  try {
    for (const batch of batches) {
      const call = again || isOne ? {} : { idempotencyKey: keyOf(batch, published.length) };
      const { data, headers } = await calledAs(
        inFile(file, published.length),
        client.publishEvents({ body: { events: batch } }, call).withHeaders(),
      );
      published.push(...data.data);
      if (headers.has('idempotency-replayed')) known += batch.length;
      line.show(published.length);
    }
  } catch (error) {
    line.end();
    const advice = adviceOn({ error, published: published.length, of: events.length, isOne, again });
    if (advice !== null) remark(advice);
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
    .option('--again', 'publish once more what was published of a larger file within the last 24 hours')
    .addHelpText(
      'after',
      `
Up to ${BATCH} events, and 2 MiB, are one request: published together or not at all. Of more, so many at a time; a run that broke off can
be repeated within 24 hours, with the file as it is: what was published is not published twice.`,
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
        const read = eventsIn(text, file === '-' ? 'standard input' : file);
        const data = await publishAll(client, read, options.again === true);
        const told =
          data.length > 10
            ? `${data.length} events are published.`
            : data.map(({ id, event }) => `${event}  ${id}`).join('\n');
        printDone(told, { data }, options);
      }),
    );
