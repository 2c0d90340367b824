import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { arrivedText } from '../account/arrived.ts';
import { NamedEndpoint } from '../account/named-endpoint.tsx';
import { KINDS, kindOfAccount } from '../account/kinds.ts';
import { useScope } from '../account/scope.ts';
import { countText, plural } from '../lib/format.ts';
import { TextLink } from '../ui/links.tsx';
import { causeText, isCause } from '../account/causes.ts';
import type { DeliveryInsights } from './overview-queries.ts';

const SHOWN = 8;

/** Why deliveries were given up, most frequent first. */
export function ReasonRanks({ reasons }: { reasons: DeliveryInsights['deadLetters'] }) {
  const { path } = useScope();
  const most = Math.max(1, ...reasons.map(({ count }) => count));
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="sm">
        Dead letters by reason
      </Title>
      {reasons.length === 0 && <Text size="sm">None of what was made in this time.</Text>}
      <Stack gap="sm">
        {reasons.slice(0, SHOWN).map(({ reason, count }) => (
          <div key={reason}>
            <Group justify="space-between">
              {isCause(reason) ? (
                <TextLink
                  to="/a/$accountId/dead-letters"
                  params={{ accountId: path }}
                  search={{ cause: reason }}
                  fw={600}
                  size="sm"
                >
                  {reason}
                </TextLink>
              ) : (
                <Text fw={600} size="sm">
                  {reason ?? 'unknown'}
                </Text>
              )}
              <Text size="sm">{countText(count)}</Text>
            </Group>
            <Progress
              value={(count / most) * 100}
              color="red"
              size="sm"
              aria-label={`${reason ?? 'unknown'}: ${count}`}
            />
            <Text size="xs" c="dimmed">
              {causeText(reason)}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

type EndpointGroup = DeliveryInsights['groups'][number];

/** The endpoints with most dead letters, then most deliveries. */
export function EndpointRanks({ groups }: { groups: readonly EndpointGroup[] }) {
  const { account } = useScope();
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="sm">
        By {KINDS[kindOfAccount(account)].noun}
      </Title>
      {groups.length === 0 && <Text size="sm">Nothing was sent in this time.</Text>}
      <Stack gap="sm">
        {groups
          .slice(0, SHOWN)
          .map(
            (group) =>
              group.endpointId !== null && <EndpointRank key={group.endpointId} id={group.endpointId} group={group} />,
          )}
      </Stack>
    </Paper>
  );
}

function EndpointRank({ id, group }: { id: string; group: EndpointGroup }) {
  const { total, dead } = group;
  return (
    <div>
      <NamedEndpoint id={id} />
      <Text size="sm" c="dimmed">
        {plural(total, 'delivery', 'deliveries')}, {arrivedText(group)}
        {dead > 0 && `, ${countText(dead)} dead`}
      </Text>
    </div>
  );
}
