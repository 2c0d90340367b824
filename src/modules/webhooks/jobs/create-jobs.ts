import type { AnyRoute } from '../../../platform/http/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { pollsWhere } from '../../../platform/loop/polls-where.ts';
import { purging } from '../../../platform/loop/purging.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { JobDeps } from './create-job.ts';
import { jobRoutes } from './routes.ts';
import { JobRunner } from './run-jobs.ts';
import { deleteEnded } from './store.ts';

/** Bus topic: there is a new job. */
const TOPIC = 'webhook-jobs';
/** How often is looked for jobs that nothing was heard of; a job that replays has a portion as often. Milliseconds. */
const EVERY_MS = 1000;

export interface Jobs {
  routes: AnyRoute[];
  loops: Loop[];
  runner: JobRunner;
}

/** Replays and discards of many deliveries. */
export function createJobs(
  { db, clock, log, newId, bus, config }: Platform,
  { wakeClaims, leads, ...deps }: Omit<JobDeps, 'retentionDays'> & { wakeClaims: () => void; leads: () => boolean },
): Jobs {
  const retentionDays = config.DELIVERY_RETENTION_DAYS;
  const runner = new JobRunner({ db, clock, log, newId, retentionDays, wakeClaims });
  let wakeLoop = (): void => undefined;
  bus.subscribe(TOPIC, () => wakeLoop());
  const wakeJobs = (): void => {
    wakeLoop();
    bus.publish(TOPIC);
  };
  return {
    routes: jobRoutes({ ...deps, retentionDays, wakeJobs }),
    runner,
    loops: [
      pollsWhere(leads, {
        name: 'webhook-jobs',
        everyMs: EVERY_MS,
        attach: (fn) => (wakeLoop = fn),
        step: () => runner.step(),
      }),
      purging({
        name: 'webhook-jobs.purge',
        db,
        days: config.RECORD_RETENTION_DAYS,
        remove: (before, portion) => deleteEnded(db, before, portion),
      }),
    ],
  };
}
