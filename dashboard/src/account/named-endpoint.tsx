import { Text } from '@mantine/core';
import type { EndpointKind } from './kinds.ts';
import { EndpointLink } from './links.tsx';
import { useEndpointName, useIsDeleted } from './use-endpoint-names.ts';

interface NamedEndpointProps {
  id: string;
  kind?: EndpointKind;
  /** Default: that of the address. */
  accountId?: string | undefined;
  /** Its address, the last one of a deleted endpoint. Default: as far as the list of endpoints tells it. */
  url?: string | null | undefined;
  /** Default: as far as it is known by the list of endpoints. */
  isDeleted?: boolean;
}

/** An endpoint by its address, which leads to it. One that was deleted leads nowhere. */
export function NamedEndpoint({ id, kind, accountId, url, isDeleted }: NamedEndpointProps) {
  const endpoint = useEndpointName(id, kind);
  const isMissing = useIsDeleted(id);
  if (isDeleted ?? isMissing) return <Text style={{ overflowWrap: 'anywhere' }}>deleted: {url ?? id}</Text>;
  return (
    <EndpointLink kind={endpoint?.kind ?? kind ?? 'MERCHANT'} id={id} {...(accountId !== undefined && { accountId })}>
      {url ?? endpoint?.url ?? `endpoint ${id}`}
    </EndpointLink>
  );
}
