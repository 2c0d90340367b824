import type { DeliveryJob, Operations } from '@posthorn/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { byCursor } from '../ui/cursor-list.tsx';

export type JobKind = DeliveryJob['kind'];
/** Which dead letters a job is about. */
export type JobFilter = Omit<Operations['replayDeliveries']['input']['body']['filter'], 'status'>;

type DeadLetterFilter = Omit<Operations['listDeadLetters']['input'], 'cursor' | 'limit'>;

const GROUPS = 50;
const JOBS = 10;
/** While a job runs. Milliseconds. */
const PROGRESS_MS = 1000;
const CALM_MS = 10_000;

/** Dead letters by endpoint and cause. */
export const deadLettersQuery = (filter: DeadLetterFilter) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['dead-letters', filter],
    queryFn: ({ pageParam, signal }) =>
      posthorn.listDeadLetters(given({ ...filter, limit: GROUPS, cursor: pageParam }), { signal }),
    refetchInterval: CALM_MS,
  });

/** Jobs of an account, newest first; renewed every second while one of them runs. */
export const jobsQuery = (accountId: string | undefined) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['jobs', accountId ?? null],
    queryFn: ({ pageParam, signal }) =>
      posthorn.listReplays(given({ accountId, limit: JOBS, cursor: pageParam }), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((job) => job.state === 'RUNNING')) ? PROGRESS_MS : CALM_MS,
  });

/** How many dead letters fit: what a job would be about. */
export const previewQuery = (accountId: string | undefined, filter: JobFilter, skipReplayed: boolean) =>
  queryOptions({
    queryKey: ['job-preview', accountId ?? null, filter, skipReplayed],
    queryFn: async ({ signal }) => {
      const reply = await posthorn.replayDeliveries(
        given({ accountId, body: { filter: { ...filter, status: 'DEAD' as const }, skipReplayed, dryRun: true } }),
        { signal },
      );
      // With `dryRun` it is never a job.
      return 'count' in reply ? reply : { count: 0, countIsExact: true, endpoints: [] };
    },
    staleTime: 0,
  });
