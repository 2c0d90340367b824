import type { Operations } from '@posthorn/client';
import { focusManager, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
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
    setEnded(false);
    return me;
  },
  staleTime: ME_FRESH_MS,
});

/** Who is signed in, below the shell. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

let hasEnded = false;
const listeners = new Set<() => void>();

function setEnded(isOver: boolean): void {
  if (hasEnded === isOver) return;
  hasEnded = isOver;
  // As in a window that nobody looks at: each renewal of a list would be refused, and count against the limit of the address.
  focusManager.setFocused(isOver ? false : undefined);
  for (const listener of listeners) listener();
}

/** The service knows the session no more. What is shown stays as it is, behind the sign-in, until it says again who this is. */
export const endSession = (): void => setEnded(true);

/** Calls `act` when whose pages these are has signed in again, until what it returns is called. */
export function whenBack(act: () => void): () => void {
  return listen(() => {
    if (!hasEnded) act();
  });
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useHasEnded = (): boolean => useSyncExternalStore(listen, () => hasEnded);

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
