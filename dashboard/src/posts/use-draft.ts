import type { ManagedPost } from '@posthorn/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { meQuery, useMe, whenBack } from '../api/session.ts';
import { isFailure } from '../api/error-text.ts';
import { randomKey } from '@posthorn/client';
import { useNow } from '../ui/relative-time.tsx';
import { type BackupKey, beThere, withCopiesLeft, writeCopies } from './backup.ts';
import { type Draft, DraftKeeper, type KeeperDeps } from './draft-keeper.ts';
import { statusAt } from './live-status.ts';

interface Told {
  onSaved: () => void;
  /** The session has ended, or the right to write was taken away. */
  onRefused: () => void;
}

/** What only needs time. */
const PASSING = ['CONNECTION_FAILED', 'TIMEOUT', 'UNAVAILABLE', 'RATE_LIMITED', 'IDEMPOTENCY_IN_PROGRESS'] as const;

/** A proxy answers in place of a service that is away, or is slow: that may have saved all the same. */
const isOfProxy = (error: unknown): boolean =>
  isFailure(error, 'UNEXPECTED_REPLY') && error.status !== null && [502, 503, 504].includes(error.status);

const depsOf = (key: BackupKey, editorId: string, { onSaved, onRefused }: Told): KeeperDeps => ({
  async save({ changes, version, autosave, idempotencyKey }) {
    // Retries are the keeper's, which shows that it is offline meanwhile.
    const saved = await posthorn.updatePost(
      { id: key.postId, body: changes, ifMatch: version, ...(autosave ? { autosave } : {}) },
      { maxRetries: 0, idempotencyKey },
    );
    onSaved();
    return saved;
  },
  load: () => posthorn.getManagedPost({ id: key.postId }),
  failureOf(error) {
    if (isFailure(error, 'PRECONDITION_FAILED')) return { kind: 'conflict' };
    if (isFailure(error, ...PASSING) || isOfProxy(error)) return { kind: 'offline' };
    if (isFailure(error, 'UNAUTHENTICATED', 'FORBIDDEN')) onRefused();
    return { kind: 'refused', error };
  },
  later(act, ms) {
    const timer = window.setTimeout(act, ms);
    return () => window.clearTimeout(timer);
  },
  now: () => serverNow(),
  backUp: (copies) => writeCopies(key, editorId, copies),
});

export interface UsedDraft extends Draft {
  keeper: DraftKeeper;
  /** Does something with the stored post besides writing (`DraftKeeper.act`). */
  act: (call: (version: number) => Promise<ManagedPost>) => Promise<ManagedPost>;
}

/** A post that is being written on this page, in its state at the present time. `initial` is how it is at the beginning. */
export function useDraft(initial: ManagedPost): UsedDraft {
  const queryClient = useQueryClient();
  const { user } = useMe();
  const [key] = useState({ userId: user.id, postId: initial.id });
  const [editorId] = useState(randomKey);
  const [keeper] = useState(
    () =>
      new DraftKeeper(
        initial,
        depsOf(key, editorId, {
          onSaved: () => void queryClient.invalidateQueries({ queryKey: ['posts'] }),
          onRefused: () => void queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
        }),
      ),
  );
  const draft = useSyncExternalStore(keeper.subscribe, keeper.snapshot);

  useEffect(() => {
    const leave = beThere(editorId, key.postId);
    withCopiesLeft(key, (copies) => keeper.offer(copies));
    return leave;
  }, [key, editorId, keeper]);
  useEffect(() => {
    const online = (): void => {
      if (keeper.snapshot().state.kind === 'offline') void keeper.save(true);
    };
    const stopWaiting = whenBack(() => {
      const { state } = keeper.snapshot();
      if (state.kind === 'refused' && isFailure(state.error, 'UNAUTHENTICATED')) void keeper.save(true);
    });
    window.addEventListener('online', online);
    return () => {
      stopWaiting();
      window.removeEventListener('online', online);
      keeper.stop();
    };
  }, [keeper]);

  const act: UsedDraft['act'] = async (call) => {
    const changed = await keeper.act(call);
    void queryClient.invalidateQueries({ queryKey: ['posts'] });
    return changed;
  };
  const post = { ...draft.post, status: statusAt(draft.post, useNow()) };
  return { ...draft, post, keeper, act };
}
