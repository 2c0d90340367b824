import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { byCursor } from '../ui/cursor-list.tsx';

const PAGE = 50;

/** Where an event went, and where not, with the reasons. */
export const routingQuery = (id: string) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['events', id, 'routing'],
    queryFn: ({ pageParam, signal }) =>
      posthorn.explainRouting(
        { id, limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
  });

/** The deliveries of an event to the first endpoints of its audience. */
export const firstDeliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id, 'deliveries'],
    async queryFn({ signal }) {
      const { data } = await posthorn.explainRouting({ id, limit: PAGE }, { signal });
      return data.flatMap(({ verdicts }) => verdicts.flatMap(({ deliveries }) => deliveries));
    },
  });
