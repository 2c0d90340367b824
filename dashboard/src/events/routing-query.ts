import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { byCursor } from '../ui/cursor-list.tsx';
import { LIVE_MS } from '../ui/live.tsx';

const PAGE = 50;

/** Until the fan-out has seen the event, deliveries may come. */
const untilFannedOut = (fannedOut: boolean | undefined): number | false => (fannedOut === false ? LIVE_MS : false);

/** Where an event went, and where not, with the reasons. */
export const routingQuery = (id: string) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['events', id, 'routing'],
    queryFn: ({ pageParam, signal }) =>
      posthorn.explainRouting(given({ id, limit: PAGE, cursor: pageParam }), { signal }),
    refetchInterval: ({ state }) => untilFannedOut(state.data?.pages[0]?.fannedOut),
  });

/** The deliveries of an event to the first endpoints of its audience. */
export const firstDeliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id, 'deliveries'],
    queryFn: ({ signal }) => posthorn.explainRouting({ id, limit: PAGE }, { signal }),
    select: ({ data }) =>
      data.flatMap(({ verdicts, endpointUrl }) =>
        verdicts.flatMap(({ deliveries }) => deliveries.map((delivery) => ({ ...delivery, endpointUrl }))),
      ),
    refetchInterval: ({ state }) => untilFannedOut(state.data?.fannedOut),
  });
