import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';

/**
 * What the service makes of a text, asked for while it is needed; of a former text until the reply comes. Each place has its own
 * query, named by `place`: none is kept, so one that is hidden would take it from another that waits for it.
 */
export function useRendered(place: 'preview' | 'search', body: string, isNeeded = true) {
  return useQuery({
    queryKey: ['render', place, body],
    queryFn: ({ signal }) => posthorn.renderPost({ body: { body } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: isNeeded,
  });
}
