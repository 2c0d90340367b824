import type { ApiKey } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';

/** It is no key any more. */
export const isOver = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && new Date(expiresAt).getTime() <= serverNow());

/** Whether an account has no key that is one still; false as long as that is not known. */
export function useLacksKey(accountId: string | undefined): boolean {
  const { data } = useQuery({
    queryKey: ['keys', accountId ?? null, 1],
    queryFn: ({ signal }) => posthorn.listAccountApiKeys({ id: accountId ?? '' }, { signal }),
    enabled: accountId !== undefined,
  });
  return data !== undefined && data.total <= data.data.length && data.data.every(isOver);
}
