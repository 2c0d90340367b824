import { Alert, Button } from '@mantine/core';
import { failureText, isNothing } from '../api/error-text.ts';
import { FailureBody } from '../api/failure-body.tsx';
import { CopyButton } from './copy-button.tsx';
import { CircleAlert } from './icons.ts';

interface FailureProps {
  error: unknown;
  onRetry?: () => void;
  /** What was asked for: "delivery". */
  what?: string | undefined;
  /** Which one. */
  id?: string | undefined;
}

/** What failed, what to do, the request id, and a button to try again where that can help. */
export function Failure({ error, onRetry, what, id }: FailureProps) {
  const text = failureText(error, what, id);
  const copy = text.requestId !== null && <CopyButton value={text.requestId} label="Copy the request id" />;
  return (
    <Alert color="red" title={text.title} icon={<CircleAlert aria-hidden />} role="alert">
      <FailureBody text={text} beside={copy} />
      {onRetry && !isNothing(error) && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
