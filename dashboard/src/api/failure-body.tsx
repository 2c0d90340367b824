import { Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FailureText } from './error-text.ts';

/** What failed in lines, what to do, and the request id, with something `beside` it. The title stands elsewhere. */
export function FailureBody({ text, beside }: { text: FailureText; beside?: ReactNode }) {
  const { details, advice, requestId } = text;
  return (
    <>
      {details.map((line) => (
        <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
      <Text size="sm">{advice}</Text>
      {requestId !== null && (
        <Group gap={4} mt={4}>
          <Text size="xs">
            Request <Code>{requestId}</Code>
          </Text>
          {beside}
        </Group>
      )}
    </>
  );
}
