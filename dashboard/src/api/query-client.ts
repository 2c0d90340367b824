import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { isFailure } from './error-text.ts';
import { notifyError } from './notices.tsx';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The page tells of the failure itself. */
      silent?: boolean;
    };
  }
}

/** How long what was read is shown without asking again. Milliseconds. */
const FRESH_MS = 5000;

/**
 * Everything that was read of the service. A call that fails is not repeated here, since the client library has done so
 * already. `onSignedOut` is called when the service knows the session no more.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const failed = (error: unknown): boolean => {
    // A role was taken away meanwhile: the navigation follows.
    if (isFailure(error, 'FORBIDDEN')) void client.invalidateQueries({ queryKey: ['me'] });
    if (!isFailure(error, 'UNAUTHENTICATED')) return false;
    onSignedOut();
    return true;
  };
  // At once, not with the next timer: between the two clicks of a double click the button has to be disabled already.
  notifyManager.setScheduler(queueMicrotask);
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => void failed(error) }),
    mutationCache: new MutationCache({
      onError(error, _input, _result, mutation) {
        if (!failed(error) && mutation.meta?.silent !== true) notifyError(error);
      },
    }),
    // Offline is told by the failure itself; waiting for a network would show nothing at all.
    defaultOptions: {
      queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
