import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type EndpointKind, ENDPOINTS } from '../account/kinds.ts';
import { useEndpointName } from '../account/use-endpoint-names.ts';
import { notifyDone } from '../api/notices.tsx';
import { confirm } from '../ui/confirm.tsx';

interface SendAfterwardsProps {
  kind: EndpointKind;
  endpointId: string;
  eventId: string;
  /** As which webhook: an event may cause two. */
  webhook: string;
}

/** Sends an event to an endpoint that it did not go to by itself. */
export function SendAfterwards({ kind, endpointId, eventId, webhook }: SendAfterwardsProps) {
  const queries = useQueryClient();
  const endpoint = useEndpointName(endpointId, kind);
  const send = useMutation({
    mutationFn: () => ENDPOINTS[kind].send(endpointId, eventId, webhook),
    onSuccess: () => notifyDone('It is on its way.'),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['events', eventId] }),
        queries.invalidateQueries({ queryKey: ['deliveries'] }),
      ]),
  });
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      title: `Send ${webhook} afterwards?`,
      text: `It is signed and sent to ${endpoint?.url ?? 'this endpoint'} now, with the time at which it occurred, also if the endpoint has not subscribed to it.`,
      action: 'Send',
      destructive: false,
    });
    if (isSure) send.mutate();
  };
  return (
    <Button size="compact-xs" variant="default" loading={send.isPending} onClick={() => void ask()}>
      Send afterwards
    </Button>
  );
}
