import type { WebhookEndpoint } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyDone } from '../api/notices.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { type EndpointKind, ENDPOINTS, type EndpointSettings, KINDS } from '../account/kinds.ts';
import { FormModal } from '../ui/form-modal.tsx';

interface EndpointModalProps {
  kind: EndpointKind;
  isOpen: boolean;
  onClose: () => void;
  /** For which account a new one is. */
  accountId?: string;
  /** Absent: a new one. */
  endpoint?: WebhookEndpoint;
  onSaved?: (endpoint: WebhookEndpoint) => void;
}

/** Makes or changes an endpoint. */
export function EndpointModal({ kind, isOpen, onClose, accountId, endpoint, onSaved }: EndpointModalProps) {
  const queries = useQueryClient();
  const { noun } = KINDS[kind];
  const save = useMutation({
    mutationFn: (settings: EndpointSettings) =>
      endpoint ? ENDPOINTS[kind].update(endpoint.id, settings) : ENDPOINTS[kind].create(accountId, settings),
    meta: { silent: true },
    async onSuccess(saved) {
      await queries.invalidateQueries({ queryKey: ['endpoints'] });
      notifyDone(endpoint ? 'Saved.' : `The ${noun} was created.`);
      onClose();
      onSaved?.(saved);
    },
  });
  const close = (): void => {
    save.reset();
    onClose();
  };
  return (
    <FormModal opened={isOpen} onClose={close} title={endpoint ? `Edit the ${noun}` : `New ${noun}`} size="lg">
      <EndpointForm
        kind={kind}
        endpoint={endpoint}
        error={save.error}
        isSaving={save.isPending}
        onSave={(settings) => save.mutate(settings)}
        onCancel={close}
      />
    </FormModal>
  );
}
