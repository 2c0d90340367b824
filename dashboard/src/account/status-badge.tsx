import { Badge } from '@mantine/core';

type Color = 'green' | 'red' | 'yellow' | 'gray' | 'blue' | 'orange' | 'grape';

/** What the states of deliveries, endpoints, jobs, reports, trades and routing look like; the words say it as well. */
const COLORS: Readonly<Record<string, Color>> = {
  DELIVERED: 'green',
  PENDING: 'blue',
  DEAD: 'red',
  HELD: 'yellow',
  DISCARDED: 'gray',
  ACTIVE: 'green',
  PAUSED: 'yellow',
  DISABLED: 'red',
  RUNNING: 'blue',
  COMPLETED: 'green',
  CANCELLED: 'gray',
  FAILED: 'red',
  ACCEPTED: 'green',
  REPEATED: 'blue',
  REFUSED: 'red',
  HOLD: 'orange',
  CHECKOUT: 'blue',
  FULFILLMENT: 'grape',
};

/** A state in its colour. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge variant="light" radius="sm" miw="max-content" color={COLORS[status] ?? 'gray'}>
      {status.replaceAll('_', ' ').toLowerCase()}
    </Badge>
  );
}
