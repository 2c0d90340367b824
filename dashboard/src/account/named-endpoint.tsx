import { Text } from '@mantine/core';
import type { EndpointKind } from './kinds.ts';
import { EndpointLink } from './links.tsx';
import { useEndpointName, useIsDeleted } from './use-endpoint-names.ts';

/** An endpoint by its address, which leads to it. One that was deleted leads nowhere. */
export function NamedEndpoint({ id, kind }: { id: string; kind?: EndpointKind }) {
  const endpoint = useEndpointName(id, kind);
  if (useIsDeleted(id)) return <Text style={{ overflowWrap: 'anywhere' }}>deleted: {id}</Text>;
  return (
    <EndpointLink kind={endpoint?.kind ?? kind ?? 'MERCHANT'} id={id}>
      {endpoint?.url ?? `endpoint ${id}`}
    </EndpointLink>
  );
}
