import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import {
  type Client,
  type DeliveryJob,
  type DeliveryJobPreview,
  InvalidInputError,
} from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { EXIT } from '../exit-codes.ts';
import { interruption } from '../interrupt.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne, remark } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

/** How often a job is looked at while it is waited for. Milliseconds. */
const EVERY_MS = 300;

const skippedOf = ({ skipped }: DeliveryJob): string => {
  const told = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return told.length === 0 ? 'none' : told.join(', ');
};

const COLUMNS: readonly Column<DeliveryJob>[] = [
  { title: 'id', of: (j) => j.id },
  { title: 'kind', of: (j) => j.kind },
  { title: 'state', of: (j) => j.state },
  { title: 'done', of: (j) => j.done },
  { title: 'total', of: (j) => (j.totalIsExact ? j.total : `at least ${j.total}`) },
  { title: 'created', of: (j) => localTime(j.createdAt) },
];

/** What a job did, for people or as JSON; gives the exit code. */
export function tellJob(job: DeliveryJob, options: { json?: boolean }): number {
  printOne(
    job,
    [
      ['job', job.id],
      ['kind', job.kind],
      ['state', job.error === null ? job.state : `${job.state}: ${job.error}`],
      ['done', `${job.done} of ${job.totalIsExact ? '' : 'at least '}${job.total}`],
      ['left out', skippedOf(job)],
      ['ended', localTime(job.endedAt)],
    ],
    options,
  );
  return job.state === 'FAILED' ? EXIT.FAILED : EXIT.FINE;
}

/** The job that was begun. Fails where the answer names none, as that of a service of another version: nothing can be asked of it. */
export function begunJob(answer: DeliveryJob | DeliveryJobPreview): DeliveryJob {
  if ('id' in answer && typeof answer.id === 'string') return answer;
  throw new InvalidInputError('id', undefined, 'is missing');
}

/** Waits until a job is over, names it, and shows how far it is. With Ctrl-C the job goes on, and only the waiting ends. */
export async function awaitJob(client: Client, begun: DeliveryJob): Promise<DeliveryJob> {
  if (begun.state === 'RUNNING') remark(`Job ${begun.id} is running; it goes on when you leave.`);
  const line = progressLine('deliveries', begun.total);
  let job = begun;
  try {
    while (job.state === 'RUNNING') {
      await wait(EVERY_MS, undefined, { signal: interruption });
      job = await client.getReplay({ id: job.id });
      line.show(job.done, job.total);
    }
  } catch (error) {
    line.end();
    if (interruption.aborted) remark(`The job goes on: posthorn deliveries jobs show ${job.id} (or cancel)`);
    throw error;
  }
  line.end();
  return job;
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List jobs, the newest first.')
    .option('--account <account>', 'of whom: id or name')
    .action(
      action<ListOptions & { account?: string }>(async (options) => {
        const connection = await connect(options);
        const filter = await accountFilter(connection, options.account);
        const items = connection.client.listReplays({ ...filter, limit: pageSize(options) });
        printList(await collect(items, options), COLUMNS, 'jobs', options);
      }),
    );

const show = (): Command =>
  new Command('show')
    .description('Show how far a job is.')
    .argument('<id>')
    .action(
      action<object, [id: string]>(async (options, id) =>
        tellJob(await (await connect(options)).client.getReplay({ id }), options),
      ),
    );

const cancel = (): Command =>
  new Command('cancel')
    .description('End a job; what it did stays done.')
    .argument('<id>')
    .action(
      action<object, [id: string]>(async (options, id) => {
        const job = await (await connect(options)).client.cancelReplay({ id });
        printDone(`The job is ${job.state.toLowerCase()}, with ${job.done} done.`, job, options);
      }),
    );

/** `posthorn deliveries jobs …`. */
export const jobsCommand = (): Command =>
  new Command('jobs')
    .description('Replays and discards of many deliveries.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(cancel());
