import { useQuery } from '@tanstack/react-query';
import { useScope } from './scope.ts';
import { type EndpointKind, endpointsQuery } from './kinds.ts';

/** An account has at most some dozens. */
const MOST = 100;

interface Named {
  id: string;
  url: string;
  kind: EndpointKind;
}

function useEndpoints(accountId: string | undefined): Named[] {
  const merchant = useQuery(endpointsQuery('MERCHANT', accountId, 1, MOST));
  const business = useQuery(endpointsQuery('BUSINESS', accountId, 1, MOST));
  return [
    ...(merchant.data?.data ?? []).map(({ id, url }) => ({ id, url, kind: 'MERCHANT' as const })),
    ...(business.data?.data ?? []).map(({ id, url }) => ({ id, url, kind: 'BUSINESS' as const })),
  ];
}

/** Ids and addresses of the endpoints and subscriptions of an account (undefined: of all that one sees), for choices. */
export const useEndpointNames = (accountId: string | undefined): { value: string; label: string }[] =>
  useEndpoints(accountId).map(({ id, url }) => ({ value: id, label: url }));

/** Address and kind of an endpoint; undefined while they are not known, or when it was deleted. */
export function useEndpointName(id: string): Named | undefined {
  const { accountId } = useScope();
  return useEndpoints(accountId).find((endpoint) => endpoint.id === id);
}
