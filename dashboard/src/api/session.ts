import type { Operations } from '@posthorn/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { posthorn } from './client.ts';

export type Me = Operations['getMe']['reply'];
export type Account = Me['accounts'][number];

/** A changed role shows within this time; it acts at once, since the service asks for it with every call. */
const ME_FRESH_MS = 60_000;

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }): Promise<Me> => posthorn.getMe({}, { signal }),
  staleTime: ME_FRESH_MS,
});

/** Who is signed in, below the shell. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;
