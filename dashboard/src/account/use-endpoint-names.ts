import type { WebhookEndpoint } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { useScope } from './scope.ts';
import { type EndpointKind, endpointQuery, endpointsQuery } from './kinds.ts';

/** An account has at most some dozens; all accounts together may have more. */
const MOST = 100;

/** Each row of a list asks: an address hardly ever changes, and every change of this page's is read at once. */
const SELDOM = { refetchInterval: false, staleTime: 60_000 } as const;

type Named = Pick<WebhookEndpoint, 'id' | 'url' | 'status' | 'isProbing'> & { kind: EndpointKind };

const namedOf = (kind: EndpointKind, { id, url, status, isProbing }: WebhookEndpoint): Named => ({
  id,
  url,
  status,
  isProbing,
  kind,
});

interface Endpoints {
  named: Named[];
  /** When these were all that there are; undefined: they are not all. Milliseconds. */
  wholeAt: number | undefined;
}

function useEndpoints(accountId: string | undefined): Endpoints {
  const merchant = useQuery({ ...endpointsQuery('MERCHANT', accountId, 1, MOST), ...SELDOM });
  const business = useQuery({ ...endpointsQuery('BUSINESS', accountId, 1, MOST), ...SELDOM });
  const named = [
    ...(merchant.data?.data ?? []).map((endpoint) => namedOf('MERCHANT', endpoint)),
    ...(business.data?.data ?? []).map((endpoint) => namedOf('BUSINESS', endpoint)),
  ];
  const isWhole = [merchant, business].every(({ data }) => data !== undefined && data.total <= MOST);
  return { named, wholeAt: isWhole ? Math.min(merchant.dataUpdatedAt, business.dataUpdatedAt) : undefined };
}

/** While it is needed, what is known of the endpoints of an account is renewed as often as on their own pages: for lists that tell their state. */
export function useFreshEndpoints(accountId: string | undefined, isNeeded: boolean): void {
  useQuery({ ...endpointsQuery('MERCHANT', accountId, 1, MOST), enabled: isNeeded });
  useQuery({ ...endpointsQuery('BUSINESS', accountId, 1, MOST), enabled: isNeeded });
}

/** Ids and addresses of the endpoints and subscriptions of an account (undefined: of all that one sees), for choices. */
export const useEndpointNames = (accountId: string | undefined): { value: string; label: string }[] =>
  useEndpoints(accountId).named.map(({ id, url }) => ({ value: id, label: url }));

/**
 * Address, kind and state of an endpoint; undefined while they are not known, or when it was deleted. One that is not among the
 * first of the list (operators see those of all accounts) is asked for by itself, where its kind is known. `isFresh`: its state is
 * told, so that one is renewed as often as the list is by `useFreshEndpoints`.
 */
export function useEndpointName(id: string, kind?: EndpointKind, isFresh = false): Named | undefined {
  const { accountId } = useScope();
  const { named, wholeAt } = useEndpoints(accountId);
  const found = named.find((endpoint) => endpoint.id === id);
  const alone = useQuery({
    ...endpointQuery(kind ?? 'MERCHANT', id),
    enabled: kind !== undefined && found === undefined && wholeAt === undefined && named.length >= MOST,
    ...(isFresh ? {} : SELDOM),
  });
  if (found || !kind || !alone.data) return found;
  return namedOf(kind, alone.data);
}

/** Address of an endpoint of an account, by the account's list; undefined while it is not known, or when it was deleted. */
export function useAddress(id: string, kind: EndpointKind, accountId: string): string | undefined {
  const { data } = useQuery({ ...endpointsQuery(kind, accountId, 1, MOST), ...SELDOM });
  return data?.data.find((endpoint) => endpoint.id === id)?.url;
}

/** When it was made, by its id (UUIDv7, RFC 9562 §5.7). Milliseconds. */
const madeAt = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** Two clocks, and a list that is on its way, may differ by so much. Milliseconds. */
const LEEWAY = 60_000;

/** Whether there is no such endpoint any more, as far as that is known by a list that is newer than it. */
export function useIsDeleted(id: string): boolean {
  const { accountId } = useScope();
  const { named, wholeAt } = useEndpoints(accountId);
  return wholeAt !== undefined && madeAt(id) < wholeAt - LEEWAY && named.every((endpoint) => endpoint.id !== id);
}
