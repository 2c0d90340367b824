import { Modal, Select, Text } from '@mantine/core';
import type { WebhookEndpoint } from '@posthorn/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../ui/dialog-form.tsx';
import { type EndpointKind, ENDPOINTS } from '../account/kinds.ts';

interface TestModalProps {
  kind: EndpointKind;
  endpoint: WebhookEndpoint;
  isOpen: boolean;
  onClose: () => void;
  /** Given the id of the delivery that is on its way. */
  onSent: (deliveryId: string) => void;
}

/** Sends an example event, signed like a real one. */
export function TestModal({ isOpen, onClose, ...form }: TestModalProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Send a test event">
      <TestForm {...form} onClose={onClose} />
    </Modal>
  );
}

function TestForm({ kind, endpoint, onClose, onSent }: Omit<TestModalProps, 'isOpen'>) {
  const [event, setEvent] = useState<string | null>(endpoint.events[0] ?? null);
  const send = useMutation({
    mutationFn: () => ENDPOINTS[kind].test(endpoint.id, event ?? undefined),
    meta: { silent: true },
    onSuccess: ({ id }) => onSent(id),
  });
  return (
    <DialogForm
      action="Send"
      isBusy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onCancel={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        The example of the catalogue is signed and sent to <strong>{endpoint.url}</strong>, as a real event is. It is
        marked as a test in the list of deliveries.
      </Text>
      <Select label="Event" data={endpoint.events} value={event} onChange={setEvent} searchable allowDeselect={false} />
    </DialogForm>
  );
}
