import { Group, Skeleton, Text, Tooltip } from '@mantine/core';
import type { WebhookEndpointHealth } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { countedText, durationText, percentText } from '../lib/format.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { type EndpointKind, healthQuery } from '../account/kinds.ts';

/** Where the service stops counting what waits. */
const COUNTED_UP_TO = 10_000;

/** "340", "10,000+". */
export const waitingText = (n: number): string => countedText(n, n < COUNTED_UP_TO);

const successColor = (share: number | null): string | undefined => {
  if (share === null || share >= 0.99) return undefined;
  return share >= 0.9 ? 'var(--mantine-color-yellow-light-color)' : 'var(--mantine-color-error)';
};

/** Success of the last day in one line of a list. */
export function HealthText({ kind, id }: { kind: EndpointKind; id: string }) {
  const { data, isError } = useQuery(healthQuery(kind, id));
  if (isError) return <Text size="sm">unknown</Text>;
  if (!data) return <Skeleton h={16} w={120} />;
  const { attempts, successRate, p95Ms } = data.lastDay;
  if (attempts === 0) return <Text size="sm">no attempts today</Text>;
  return (
    <Tooltip label={`${attempts} attempts in 24 hours; 95 % took at most ${durationText(p95Ms)}`}>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={600} c={successColor(successRate)}>
          {percentText(successRate)}
        </Text>
        <Text size="sm" c="dimmed">
          p95 {durationText(p95Ms)}
        </Text>
      </Group>
    </Tooltip>
  );
}

/** What is kept or given up of an endpoint, in one line of a list. */
export function WaitingText({ kind, id }: { kind: EndpointKind; id: string }) {
  const { data } = useQuery(healthQuery(kind, id));
  if (!data) return <Text size="sm">–</Text>;
  const parts = partsOf(data);
  return <Text size="sm">{parts.length === 0 ? 'nothing' : parts.join(', ')}</Text>;
}

const partsOf = ({ pending, held, dead }: WebhookEndpointHealth): string[] => [
  ...(pending > 0 ? [`${waitingText(pending)} pending`] : []),
  ...(held > 0 ? [`${waitingText(held)} held`] : []),
  ...(dead > 0 ? [`${waitingText(dead)} dead`] : []),
];

/** When something last arrived there. */
export function LastSuccess({ kind, id }: { kind: EndpointKind; id: string }) {
  const { data } = useQuery(healthQuery(kind, id));
  return <RelativeTime at={data?.lastSuccessAt} />;
}
