import { Select, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { serverNow } from '../api/clock.ts';
import { shortText } from '../lib/time.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import type { KeyCalls } from './key-calls.ts';
import { KeyModal } from './key-modal.tsx';

/** Seconds, and what they are called. */
const OVERLAPS = [
  { value: '86400', label: '24 hours' },
  { value: '3600', label: '1 hour' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '0', label: 'none: it has leaked' },
];

/** How long the old key works, from now. */
const oldText = (seconds: number): string =>
  seconds === 0
    ? 'The old key is refused from now on, and its secret signs no more.'
    : `The old key works, and its secret signs beside the new one, until ${shortText(new Date(serverNow() + seconds * 1000))}.`;

interface RotateModalProps {
  calls: KeyCalls;
  /** Undefined: closed. */
  apiKey: ApiKey | undefined;
  onClose: () => void;
}

/** Replaces a key and its signing secret, and shows both once. */
export function RotateModal({ calls, apiKey, onClose }: RotateModalProps) {
  const [overlap, setOverlap] = useState('86400');
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: async (key: ApiKey) => ({
      issued: await calls.rotate(key, Number(overlap)),
      old: oldText(Number(overlap)),
    }),
    meta: { silent: true },
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const close = (): void => {
    rotate.reset();
    onClose();
  };
  return (
    <KeyModal
      isOpen={apiKey !== undefined}
      onClose={close}
      title={`Rotate “${apiKey?.name ?? ''}”`}
      isBusy={rotate.isPending}
      issued={rotate.data?.issued}
      note={rotate.data?.old}
    >
      <DialogForm
        action="Rotate"
        isBusy={rotate.isPending}
        error={rotate.error}
        onSubmit={() => apiKey && rotate.mutate(apiKey)}
        onCancel={close}
      >
        <Text size="sm">
          You get a new key and a new signing secret. Meanwhile the old ones stay valid, and every delivery is signed
          with both secrets: put the new one in place at any moment of it.
        </Text>
        <Select
          label="The old ones stay valid for"
          data={OVERLAPS}
          value={overlap}
          onChange={(value) => setOverlap(value ?? '86400')}
          allowDeselect={false}
        />
      </DialogForm>
    </KeyModal>
  );
}
