import { Alert, Button } from '@mantine/core';
import { failureText } from '../api/error-text.ts';
import { FailureBody } from '../api/failure-body.tsx';
import { CopyButton } from './copy-button.tsx';
import { CircleAlert } from './icons.ts';

/** What failed, what to do, the request id, and a button to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = failureText(error);
  const copy = text.requestId !== null && <CopyButton value={text.requestId} label="Copy the request id" />;
  return (
    <Alert color="red" title={text.title} icon={<CircleAlert aria-hidden />} role="alert">
      <FailureBody text={text} beside={copy} />
      {onRetry && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
