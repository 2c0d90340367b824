import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DeliveryLink, EndpointLink, EventLink } from '../account/links.tsx';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { Facts } from '../ui/facts.tsx';
import { IdText } from '../ui/id-text.tsx';
import { TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { ReasonModal } from '../ui/reason-modal.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { causeText, isObstacle } from '../account/causes.ts';
import { kindOf } from '../account/kinds.ts';
import { StatusBadge } from '../account/status-badge.tsx';
import { AttemptList } from './attempt-view.tsx';
import { type DeliveryDetail, deliveryQuery } from '../account/delivery-queries.ts';
import { DeliveryTimeline } from './delivery-timeline.tsx';
import { Replays } from './replays.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const route = getRouteApi('/shell/a/$accountId/deliveries/$id');

/** One delivery: what became of it, and both sides of every attempt. */
export function DeliveryPage() {
  const { id, accountId } = route.useParams();
  const delivery = useQuery(deliveryQuery(id));
  const above = (
    <TextLink to="/a/$accountId/deliveries" params={{ accountId }}>
      Deliveries
    </TextLink>
  );
  return (
    <LoadedPage query={delivery} title="Delivery" above={above}>
      {(data) => <Shown delivery={data} above={above} />}
    </LoadedPage>
  );
}

function Shown({ delivery, above }: { delivery: DeliveryDetail; above: ReactNode }) {
  const { event, status, isTest, replayOf } = delivery;
  return (
    <Page
      title={event}
      heading={
        <Group gap="sm">
          {event}
          <StatusBadge status={status} />
          {isTest && <Badge variant="default">test</Badge>}
          {replayOf !== null && <Badge variant="default">replay</Badge>}
        </Group>
      }
      text={causeText(causeOf(delivery)) ?? undefined}
      above={above}
      actions={<Actions delivery={delivery} />}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="md">
          <About delivery={delivery} />
        </Paper>
        <Paper withBorder p="md">
          <DeliveryTimeline delivery={delivery} />
        </Paper>
      </SimpleGrid>
      <Stack gap="xs">
        <Title order={2}>Attempts</Title>
        <AttemptList delivery={delivery} />
      </Stack>
    </Page>
  );
}

/** Why it failed last. What kept it when it was held is none, and may have ended: the last step tells what keeps it now. */
const causeOf = ({ errorClass }: DeliveryDetail) => (isObstacle(errorClass) ? null : errorClass);

function About({ delivery }: { delivery: DeliveryDetail }) {
  const { id, event, endpointId, endpointUrl, eventId, url, attempts, discardReason, replayOf, replays, requestId } =
    delivery;
  return (
    <Facts
      facts={[
        [
          'Endpoint',
          url === null ? (
            <Text key="e" size="sm" style={{ overflowWrap: 'anywhere' }}>
              deleted since: {endpointUrl ?? endpointId}
            </Text>
          ) : (
            <EndpointLink key="e" kind={kindOf(event)} id={endpointId}>
              {url}
            </EndpointLink>
          ),
        ],
        ['Attempts', `${attempts} of 5`],
        ['Cause', causeOf(delivery) ?? undefined],
        ['Reason', discardReason ?? undefined],
        ['Made', <RelativeTime key="m" at={delivery.createdAt} />],
        ['Changed', <RelativeTime key="c" at={delivery.updatedAt} />],
        ['Replay of', replayOf === null ? undefined : <DeliveryLink id={replayOf}>an earlier delivery</DeliveryLink>],
        ['Replayed as', replays.length === 0 ? undefined : <Replays key="s" replays={replays} />],
        [
          'Event',
          delivery.isTest ? <IdText id={eventId} what="event id" /> : <EventLink id={eventId}>{eventId}</EventLink>,
        ],
        ['Delivery', <IdText key="d" id={id} what="delivery id" />],
        ['Request', <IdText key="r" id={requestId} what="request id" />],
      ]}
    />
  );
}

const CAN_DISCARD = new Set(['DEAD', 'HELD', 'PENDING']);

function Actions({ delivery: { id, accountId, status, attempts } }: { delivery: DeliveryDetail }) {
  const [isDiscarding, setDiscarding] = useState(false);
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: ['deliveries'] });
  const replay = useMutation({
    mutationFn: () => posthorn.replayDelivery({ id }),
    async onSuccess(made) {
      await renew();
      notifyDone('A new delivery is to be sent. This is it.');
      await navigate({ to: '/a/$accountId/deliveries/$id', params: { accountId, id: made.id } });
    },
  });
  const discard = useMutation({
    mutationFn: (reason: string) => posthorn.discardDelivery({ id, body: { reason } }),
    async onSuccess() {
      setDiscarding(false);
      await renew();
    },
  });
  return (
    <>
      {(status !== 'PENDING' || attempts > 0) && (
        <SteadyButton isBusy={replay.isPending} onClick={() => replay.mutate()}>
          {status === 'PENDING' ? 'Send now' : 'Replay'}
        </SteadyButton>
      )}
      {CAN_DISCARD.has(status) && (
        <Button variant="light" color="red" onClick={() => setDiscarding(true)}>
          Discard
        </Button>
      )}
      <ReasonModal
        isOpen={isDiscarding}
        title="Discard this delivery?"
        description="Kept, and shown to your colleagues."
        action="Discard"
        isBusy={discard.isPending}
        onClose={() => setDiscarding(false)}
        onReason={(reason) => discard.mutate(reason)}
      >
        <Text size="sm">It is not sent any more. You can replay it later.</Text>
      </ReasonModal>
    </>
  );
}
