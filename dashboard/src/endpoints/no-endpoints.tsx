import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { type EndpointKind, KINDS } from '../account/kinds.ts';
import { useLacksKey } from '../account/lacks-key.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/links.tsx';

interface NoEndpointsProps {
  kind: EndpointKind;
  /** Absent: of all, none of which can be made here. */
  accountId: string | undefined;
  /** The button that makes one. */
  create: ReactNode;
}

/** An account without endpoints: what to do first. What is sent is signed with the secret of a key, so without one no endpoint can be made. */
export function NoEndpoints({ kind, accountId, create }: NoEndpointsProps) {
  const title = `No ${KINDS[kind].noun} yet`;
  const lacksKey = useLacksKey(accountId);
  if (accountId === undefined) return <EmptyState title={title} text="Choose an account above to create one for it." />;
  if (lacksKey) {
    return (
      <EmptyState
        title={title}
        text="First make an API key: what is sent to you is signed with its secret. Then create one here, and every event that concerns the account is sent there."
        action={
          <LinkButton to="/a/$accountId/keys" params={{ accountId }}>
            API keys
          </LinkButton>
        }
      />
    );
  }
  return (
    <EmptyState
      title={title}
      text="Create one: give an address of yours, and every event that concerns the account is sent there, signed."
      action={<Group>{create}</Group>}
    />
  );
}
