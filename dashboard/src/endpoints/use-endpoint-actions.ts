import type { WebhookEndpoint } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyDone } from '../api/notices.tsx';
import { confirm } from '../ui/confirm.tsx';
import { type EndpointKind, endpointQuery, ENDPOINTS, KINDS } from '../account/kinds.ts';

/** What is done to one endpoint; every list and page of endpoints follows. Failures are told by the query client. */
export function useEndpointActions(kind: EndpointKind) {
  const queries = useQueryClient();
  const calls = ENDPOINTS[kind];
  const { noun } = KINDS[kind];
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: ['endpoints'] });
  const pause = useMutation({
    mutationFn: (id: string) => calls.pause(id),
    onSuccess: () => notifyDone(`The ${noun} is paused: what is for it is kept.`),
    onSettled: renew,
  });
  const resume = useMutation({
    mutationFn: (id: string) => calls.resume(id),
    onSuccess: ({ isProbing }) =>
      notifyDone(isProbing ? 'It is tried with one delivery first.' : `The ${noun} receives again.`),
    onSettled: renew,
  });
  const remove = useMutation({
    mutationFn: (id: string) => calls.remove(id),
    onSuccess: () => notifyDone(`The ${noun} was deleted.`),
    onError: renew,
  });
  /** Deletes it, and forgets it once its page has been left by `leave`: read anew it would be a failure. */
  async function askToRemove({ id, url }: WebhookEndpoint, leave: () => Promise<void>): Promise<void> {
    const isSure = await confirm({
      title: `Delete this ${noun}?`,
      text: `Nothing is sent to ${url} any more, and what waits for it is discarded. This cannot be undone.`,
      action: 'Delete',
    });
    if (!isSure) return;
    await remove.mutateAsync(id);
    await leave();
    queries.removeQueries({ queryKey: endpointQuery(kind, id).queryKey });
    await renew();
  }
  async function askToPause({ id, url }: WebhookEndpoint): Promise<void> {
    const isSure = await confirm({
      title: `Pause this ${noun}?`,
      text: `Deliveries to ${url} are kept until you resume it; then they go out in their order.`,
      action: 'Pause',
      destructive: false,
    });
    if (isSure) pause.mutate(id);
  }
  return {
    askToPause,
    resume: (id: string) => resume.mutate(id),
    askToRemove,
    isBusy: pause.isPending || resume.isPending,
  };
}
