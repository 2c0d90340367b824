import { Group, Stack, Text } from '@mantine/core';
import type { DeliveryDetail } from '../account/delivery-queries.ts';
import { DeliveryLink } from '../account/links.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

/** The service tells of so many. */
const TOLD = 10;

/** The last replays of a delivery, the newest first, and what became of each. */
export function Replays({ replays }: Pick<DeliveryDetail, 'replays'>) {
  return (
    <Stack gap={4}>
      {replays.map(({ id, status, createdAt }) => (
        <Group key={id} gap="xs">
          <DeliveryLink id={id}>a later delivery</DeliveryLink>
          <StatusBadge status={status} />
          <Text size="sm" c="dimmed">
            <RelativeTime at={createdAt} />
          </Text>
        </Group>
      ))}
      {replays.length === TOLD && (
        <Text size="sm" c="dimmed">
          and perhaps others before
        </Text>
      )}
    </Stack>
  );
}
