import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { failureText } from '../api/error-text.ts';
import { CopyButton } from './copy-button.tsx';
import { CircleAlert } from './icons.ts';

/** What failed, what to do, the request id, and a button to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, advice, details, requestId } = failureText(error);
  return (
    <Alert color="red" title={title} icon={<CircleAlert aria-hidden />} role="alert">
      {details.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
      <Text size="sm">{advice}</Text>
      {requestId !== null && (
        <Group gap={4} mt={4}>
          <Text size="xs">
            Request <Code>{requestId}</Code>
          </Text>
          <CopyButton value={requestId} label="Copy the request id" />
        </Group>
      )}
      {onRetry && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
