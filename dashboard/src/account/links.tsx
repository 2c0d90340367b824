import type { ReactNode } from 'react';
import { TextLink } from '../ui/links.tsx';
import type { EndpointKind } from './kinds.ts';
import { useScope } from './scope.ts';

/** Links to things of accounts. Without `accountId` within the account that is looked at. */
interface ThingLink {
  id: string;
  accountId?: string;
  children: ReactNode;
}

export function DeliveryLink({ id, accountId, children }: ThingLink) {
  const { path } = useScope();
  return (
    <TextLink to="/a/$accountId/deliveries/$id" params={{ accountId: accountId ?? path, id }}>
      {children}
    </TextLink>
  );
}

export function EndpointLink({ id, accountId, kind, children }: ThingLink & { kind: EndpointKind }) {
  const { path } = useScope();
  const params = { accountId: accountId ?? path, id };
  const to = kind === 'MERCHANT' ? '/a/$accountId/endpoints/$id' : '/a/$accountId/subscriptions/$id';
  return (
    <TextLink to={to} params={params} style={{ overflowWrap: 'anywhere' }}>
      {children}
    </TextLink>
  );
}

export function EventLink({ id, accountId, children }: ThingLink) {
  const { path } = useScope();
  return (
    <TextLink to="/a/$accountId/events/$id" params={{ accountId: accountId ?? path, id }}>
      {children}
    </TextLink>
  );
}

export function TradeLink({ id, accountId, children }: ThingLink) {
  const { path } = useScope();
  return (
    <TextLink to="/a/$accountId/trades/$id" params={{ accountId: accountId ?? path, id }}>
      {children}
    </TextLink>
  );
}

export function ReportLink({ id, accountId, children }: ThingLink) {
  const { path } = useScope();
  return (
    <TextLink to="/a/$accountId/inbound/$id" params={{ accountId: accountId ?? path, id }}>
      {children}
    </TextLink>
  );
}
