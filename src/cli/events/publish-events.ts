import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Client, Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { Failure, wrongUse } from '../failure.ts';
import { readStdin } from '../output/ask.ts';
import { printDone } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';

/** In one request, which the service keeps whole or not at all. */
const BATCH = 500;

type Body = Operations['publishEvents']['input']['body'];
type Published = Operations['publishEvents']['reply']['data'];

/** What a file of events may be: one, an array of them, `{events}`, or one in each line. The service checks the rest. */
function eventsIn(text: string, file: string): NonNullable<Body['events']> {
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
  return events as NonNullable<Body['events']>;
}

async function publishAll(client: Client, events: NonNullable<Body['events']>): Promise<Published> {
  const published: Published = [];
  const line = progressLine('events', events.length);
  try {
    for (let at = 0; at < events.length; at += BATCH) {
      const { data } = await client.publishEvents({ body: { events: events.slice(at, at + BATCH) } });
      published.push(...data);
      line.show(published.length);
    }
  } catch (error) {
    line.end();
    if (published.length > 0) console.error(`The first ${published.length} of ${events.length} events are published.`);
    throw error;
  }
  line.end();
  return published;
}

/** `posthorn events publish`. */
export const publishCommand = (): Command =>
  new Command('publish')
    .description('Publish events of a JSON file: {event, data, accountIds}, an array of them, or one in each line.')
    .argument('<file>', 'or - for standard input')
    .addHelpText('after', `\nUp to ${BATCH} events are published together or not at all; of more, so many at a time.`)
    .action(
      action<object, [file: string]>(async (options, file) => {
        const text =
          file === '-'
            ? await readStdin()
            : await readFile(file, 'utf8').catch((error: Error) => {
                throw wrongUse(`cannot read ${file}: ${error.message}`);
              });
        const { client } = await connect(options, { patient: true });
        const data = await publishAll(client, eventsIn(text, file));
        const told =
          data.length > 10
            ? `${data.length} events are published.`
            : data.map(({ id, event }) => `${event}  ${id}`).join('\n');
        printDone(told, { data }, options);
      }),
    );
