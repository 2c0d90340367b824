import { Code, Group } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';

/** A whole id with a button to copy it. `what` names it: "event id". */
export function IdText({ id, what }: { id: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </Group>
  );
}
