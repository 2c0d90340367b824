import type { Operations } from '@posthorn/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { byCursor } from '../ui/cursor-list.tsx';
import { LIVE_MS, whileFirst } from '../ui/live.tsx';

export type DeliveryFilter = Omit<Operations['listDeliveries']['input'], 'cursor' | 'limit'>;
export type DeliveryDetail = Operations['getDelivery']['reply'];

/** Deliveries that fit, newest first. `live`: the first page is renewed by itself; not while older pages are open. */
export const deliveriesQuery = (filter: DeliveryFilter, limit: number, live: boolean) =>
  infiniteQueryOptions({
    ...byCursor,
    queryKey: ['deliveries', filter, limit],
    queryFn: ({ pageParam, signal }) =>
      posthorn.listDeliveries(given({ ...filter, limit, cursor: pageParam }), { signal }),
    refetchInterval: whileFirst(live),
  });

const isOpen = ({ status }: Pick<DeliveryDetail, 'status'>): boolean => status === 'PENDING' || status === 'HELD';

/** A delivery with its attempts, renewed until it and its replays have come to an end. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => posthorn.getDelivery({ id }, { signal }),
    refetchInterval({ state: { data } }) {
      return data && [data, ...data.replays].some(isOpen) ? LIVE_MS : false;
    },
  });
