import type { Operations } from '@posthorn/client';
import { queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { given } from '../lib/given.ts';
import { keepWithin } from '../lib/keep-within.ts';

export type DeliveryInsights = Operations['getDeliveryInsights']['reply'];

/** What one looks back over, and by what it is counted. */
export const SPANS = {
  hour: { label: '1 hour', ms: 3_600_000, bucket: 'minute' },
  day: { label: '24 hours', ms: 86_400_000, bucket: 'hour' },
  week: { label: '7 days', ms: 7 * 86_400_000, bucket: 'hour' },
  month: { label: '30 days', ms: 30 * 86_400_000, bucket: 'day' },
} as const;
export type Span = keyof typeof SPANS;

/** Counting a million deliveries takes the service a moment; so it is asked seldom. Milliseconds. */
const EVERY_MS = 20_000;

/** What became of deliveries within a span up to now. */
export const overviewQuery = (accountId: string | undefined, span: Span) =>
  queryOptions({
    queryKey: ['overview', accountId ?? null, span],
    queryFn: ({ signal }) => {
      const { ms, bucket } = SPANS[span];
      const since = new Date(serverNow() - ms).toISOString();
      return posthorn.getDeliveryInsights(given({ accountId, since, bucket, groupBy: 'endpoint' } as const), {
        signal,
      });
    },
    refetchInterval: EVERY_MS,
    placeholderData: keepWithin(accountId ?? null),
  });

/** Endpoints by causes that are counted. Where there are more, the sum is told as what there is at least. */
const GROUPS = 50;

/** How many dead letters there are, whenever they were made; asked as seldom, since each group is counted. */
export const deadLetterCountQuery = (accountId: string | undefined) =>
  queryOptions({
    queryKey: ['dead-letter-count', accountId ?? null],
    async queryFn({ signal }) {
      const { data, nextCursor } = await posthorn.listDeadLetters(given({ accountId, limit: GROUPS }), { signal });
      return {
        count: data.reduce((sum, group) => sum + group.count, 0),
        isExact: nextCursor === null && data.every(({ countIsExact }) => countIsExact),
      };
    },
    refetchInterval: EVERY_MS,
  });
