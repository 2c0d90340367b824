import { Badge, Group } from '@mantine/core';
import type { User } from '@posthorn/client';

type Rights = Pick<User, 'blogRole' | 'operator' | 'disabled'>;

/** Whether there is anything to tell: most users read and comment, and that is all. */
export const hasState = ({ blogRole, operator, disabled }: Rights): boolean =>
  disabled || operator || blogRole !== null;

/** The roles of a user, and whether it was disabled. */
export function UserState({ user: { blogRole, operator, disabled } }: { user: Rights }) {
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
