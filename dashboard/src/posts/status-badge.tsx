import { Badge } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';

type Status = ManagedPost['status'];

export const STATUS_NAMES: Readonly<Record<Status, string>> = {
  DRAFT: 'Draft',
  SCHEDULED: 'Scheduled',
  PUBLISHED: 'Published',
  ARCHIVED: 'Archived',
};

const COLORS: Readonly<Record<Status, string>> = {
  DRAFT: 'gray',
  SCHEDULED: 'orange',
  PUBLISHED: 'green',
  ARCHIVED: 'grape',
};

export function StatusBadge({ status }: { status: Status }) {
  return (
    <Badge color={COLORS[status]} variant="light" tt="none" fw={600} miw="max-content">
      {STATUS_NAMES[status]}
    </Badge>
  );
}
