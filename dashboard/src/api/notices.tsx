import { Code, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { failureText } from './error-text.ts';

/** Errors stay until they are closed: whoever looks away must not miss one. */
export function notifyError(error: unknown): void {
  const { title, advice, details, requestId } = failureText(error);
  notifications.show({
    color: 'red',
    title,
    autoClose: false,
    withBorder: true,
    role: 'alert',
    closeButtonProps: { 'aria-label': 'Close this message' },
    message: (
      <>
        {details.map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
        <Text size="sm">{advice}</Text>
        {requestId !== null && (
          <Text size="xs" c="dimmed">
            Request <Code>{requestId}</Code>
          </Text>
        )}
      </>
    ),
  });
}

/** Something was done. */
export const notifyDone = (message: string): void =>
  void notifications.show({
    color: 'green',
    message,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close this message' },
  });
