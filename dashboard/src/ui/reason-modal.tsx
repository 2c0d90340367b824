import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';

interface ReasonModalProps {
  isOpen: boolean;
  title: string;
  /** The words of the button that does it. */
  action: string;
  isBusy: boolean;
  onClose: () => void;
  onReason: (reason: string) => void;
  /** What will be. */
  children: ReactNode;
}

/** Asks why, before something is ended; the reason is kept. */
export function ReasonModal({ isOpen, title, action, isBusy, onClose, onReason, children }: ReasonModalProps) {
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (reason.trim() !== '') onReason(reason.trim());
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <TextInput
            label="Reason"
            description="Kept, and shown to your colleagues."
            required
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isBusy}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
