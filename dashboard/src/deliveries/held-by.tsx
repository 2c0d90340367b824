import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DeliveryDetail } from '../account/delivery-queries.ts';
import { kindOf } from '../account/kinds.ts';
import { EndpointLink } from '../account/links.tsx';
import { TextLink } from '../ui/links.tsx';

type Obstacle = DeliveryDetail['heldBy'][number];

/** All that keeps a held delivery now, each with the way to where that is ended. */
export function HeldBy({ delivery }: { delivery: DeliveryDetail }) {
  const [first, ...more] = delivery.heldBy;
  if (delivery.url === null) return <Text size="sm">The endpoint is deleted: it is discarded by itself.</Text>;
  if (first === undefined)
    return <Text size="sm">What kept it has ended: it is sent by itself within half a minute.</Text>;
  if (more.length === 0)
    return (
      <Text size="sm">
        <Kept by={first} delivery={delivery} />
      </Text>
    );
  return (
    <>
      <Text size="sm">It is sent when none of these keeps it any more:</Text>
      <List size="sm">
        {[first, ...more].map((obstacle) => (
          <List.Item key={obstacle}>
            <Kept by={obstacle} delivery={delivery} />
          </List.Item>
        ))}
      </List>
    </>
  );
}

function Kept({ by, delivery: { accountId, endpointId, event } }: { by: Obstacle; delivery: DeliveryDetail }) {
  const toEndpoint = (words: string): ReactNode => (
    <EndpointLink kind={kindOf(event)} id={endpointId}>
      {words}
    </EndpointLink>
  );
  switch (by) {
    case 'ENDPOINT_PAUSED':
      return <>The endpoint is paused: {toEndpoint('resume it')}.</>;
    case 'ENDPOINT_DISABLED':
      return (
        <>
          The endpoint is disabled: {toEndpoint('resume it')} once the receiver is mended. It opens when the delivery
          that it is tried with arrives.
        </>
      );
    case 'NO_SIGNING_SECRET':
      return (
        <>
          The account has no API key that can be used to sign:{' '}
          <TextLink to="/a/$accountId/keys" params={{ accountId }}>
            create one
          </TextLink>
          .
        </>
      );
    case 'UNREADABLE_HEADERS':
      return (
        <>
          The service cannot read the custom headers of the endpoint, since its master key is another one:{' '}
          {toEndpoint('set them again')}.
        </>
      );
  }
}
