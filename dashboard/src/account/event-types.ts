import type { Operations } from '@posthorn/client';
import { queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';

export type EventType = Operations['listEventTypes']['reply']['data'][number];

/** The catalogue changes with the version of the service only. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: ({ signal }) => posthorn.listEventTypes({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** "offer" of "offer.created": what events are grouped by. */
export const nounOf = (event: string): string => event.split('.')[0] ?? event;

/** Events by noun, in the order of the catalogue. */
export const byNoun = (types: readonly EventType[]): [string, EventType[]][] => [
  ...Map.groupBy(types, ({ event }) => nounOf(event)),
];
