import { Badge, Group } from '@mantine/core';
import type { User } from '@posthorn/client';

/** The roles of a user, and whether it was disabled. */
export function UserState({
  user: { blogRole, operator, disabled },
}: {
  user: Pick<User, 'blogRole' | 'operator' | 'disabled'>;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      {disabled && (
        <Badge color="red" variant="light">
          disabled
        </Badge>
      )}
      {operator && (
        <Badge color="orange" variant="light">
          operator
        </Badge>
      )}
      {blogRole !== null && (
        <Badge color="blue" variant="light">
          {blogRole.toLowerCase()}
        </Badge>
      )}
    </Group>
  );
}
