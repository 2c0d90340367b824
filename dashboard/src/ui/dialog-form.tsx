import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { SteadyButton } from './steady-button.tsx';

interface DialogFormProps {
  /** The words of the button that does it. */
  action: string;
  /** Nothing brings it back: the button is red. */
  destructive?: boolean;
  isBusy: boolean;
  /** Of the last try. */
  error?: unknown;
  /** Something is missing. */
  isDisabled?: boolean;
  onSubmit: () => void;
  onCancel: () => void;
  /** The fields. */
  children: ReactNode;
}

/**
 * The form of a dialog: fields, what failed, and the way out. It stands within a `FormModal` that is closed by `opened`, so that
 * the focus goes back to where it was, and what was typed is forgotten.
 */
export function DialogForm({
  action,
  destructive,
  isBusy,
  error,
  isDisabled,
  onSubmit,
  onCancel,
  children,
}: DialogFormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        {error !== null && error !== undefined && <Failure error={error} />}
        <Group justify="flex-end">
          {/* What is under way cannot be called back, and its outcome may be shown once. */}
          <Button variant="default" disabled={isBusy} onClick={onCancel}>
            Cancel
          </Button>
          <SteadyButton type="submit" isBusy={isBusy} isOff={isDisabled} {...(destructive && { color: 'red' })}>
            {action}
          </SteadyButton>
        </Group>
      </Stack>
    </form>
  );
}
