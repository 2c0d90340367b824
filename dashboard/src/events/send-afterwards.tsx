import type { WebhookEndpoint } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type EndpointKind, ENDPOINTS } from '../account/kinds.ts';
import { useEndpointName } from '../account/use-endpoint-names.ts';
import { notifyDone } from '../api/notices.tsx';
import { confirm } from '../ui/confirm.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

interface SendAfterwardsProps {
  kind: EndpointKind;
  endpointId: string;
  eventId: string;
  /** As which webhook: an event may cause two. */
  webhook: string;
}

/** Of an endpoint that is not open, why nothing goes there now: "while the endpoint is paused". One that is disabled may open by itself. */
const whileClosed = (status: WebhookEndpoint['status'] | undefined): string | null =>
  status === undefined || status === 'ACTIVE' ? null : `while the endpoint is ${status.toLowerCase()}`;

/** Sends an event to an endpoint that it did not go to by itself. */
export function SendAfterwards({ kind, endpointId, eventId, webhook }: SendAfterwardsProps) {
  const queries = useQueryClient();
  const endpoint = useEndpointName(endpointId, kind, true);
  const closed = whileClosed(endpoint?.status);
  const send = useMutation({
    mutationFn: () => ENDPOINTS[kind].send(endpointId, eventId, webhook),
    // A replay goes out all the same. No key to sign with, or the like, may still hold the others.
    onSuccess: ({ replayOf }) =>
      notifyDone(closed === null || replayOf !== null ? 'It is to be sent.' : `It is held ${closed}.`),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['events', eventId] }),
        queries.invalidateQueries({ queryKey: ['deliveries'] }),
      ]),
  });
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      title: `Send ${webhook} afterwards?`,
      text: `It is for ${endpoint?.url ?? 'this endpoint'}${closed === null ? '' : `, and held ${closed}`}. It is sent signed and with the time at which it occurred, also if the endpoint has not subscribed to it.`,
      action: 'Send',
      destructive: false,
    });
    if (isSure) send.mutate();
  };
  return (
    <SteadyButton size="compact-xs" variant="default" isBusy={send.isPending} onClick={() => void ask()}>
      Send afterwards
    </SteadyButton>
  );
}
