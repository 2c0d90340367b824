import type { Operations } from '@posthorn/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { posthorn } from './client.ts';
import { userGuard } from './user-guard.ts';

export type Me = Operations['getMe']['reply'];
export type Account = Me['accounts'][number];

/** A changed role shows within this time; it acts at once, since the service asks for it with every call. */
const ME_FRESH_MS = 60_000;

export const meQuery = queryOptions({
  queryKey: ['me'],
  async queryFn({ signal }): Promise<Me> {
    const me = await posthorn.getMe({}, { signal });
    await userGuard.saw(me.user.id);
    return me;
  },
  staleTime: ME_FRESH_MS,
});

/** Who is signed in, below the shell. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

const windows = new BroadcastChannel('posthorn.session');

/** Tells the other windows of this browser who is signed in now: the cookie is theirs, too. null: nobody. */
export function tellOtherWindows(userId: string | null): void {
  if (userId === null) userGuard.forget();
  windows.postMessage(userId);
}

/** Calls `act` with what another window told. */
export function listenToOtherWindows(act: (userId: string | null) => void): void {
  windows.addEventListener('message', ({ data }) => act(typeof data === 'string' ? data : null));
}

let isLeft = false;
/** The page is about to go, whatever is not saved: somebody else is signed in now. What was written is kept in this browser. */
export const leaveForGood = (): void => void (isLeft = true);
export const isLeftForGood = (): boolean => isLeft;
