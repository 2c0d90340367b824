import type { Operations } from '@posthorn/client';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { byCursor } from '../ui/cursor-list.tsx';

type DeadLetterFilter = Omit<Operations['listDeadLetters']['input'], 'cursor' | 'limit'>;

const GROUPS = 50;
/** Milliseconds. */
const EVERY_MS = 10_000;

/** Dead letters by endpoint and cause. */
export const deadLettersQuery = (filter: DeadLetterFilter) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['dead-letters', filter],
    queryFn: ({ pageParam, signal }) =>
      posthorn.listDeadLetters(given({ ...filter, limit: GROUPS, cursor: pageParam }), { signal }),
    refetchInterval: EVERY_MS,
  });
