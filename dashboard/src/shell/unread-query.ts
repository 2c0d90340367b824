import { queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';

/** The number at the bell is at most so old, as long as somebody looks. Milliseconds. */
const RENEWED_MS = 30_000;

/** Everything that was read of the user's notifications begins with it. */
export const NOTIFICATIONS_KEY = ['notifications'] as const;

/** How many notifications the user has not read. */
export const unreadQuery = queryOptions({
  queryKey: [...NOTIFICATIONS_KEY, 'unread'],
  queryFn: async ({ signal }) => (await posthorn.listNotifications({ unread: true, limit: 1 }, { signal })).unread,
  refetchInterval: RENEWED_MS,
});
