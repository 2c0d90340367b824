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
