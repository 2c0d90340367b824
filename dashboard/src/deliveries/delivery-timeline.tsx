import { Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerText } from '../account/causes.ts';
import { endpointQuery, kindOf } from '../account/kinds.ts';
import { EventLink } from '../account/links.tsx';
import { waitsFor } from '../account/waits-for.ts';
import { serverNow } from '../api/clock.ts';
import { durationText } from '../lib/format.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import type { DeliveryDetail } from '../account/delivery-queries.ts';
import { HeldBy } from './held-by.tsx';

const ENDS: Readonly<Record<string, string>> = {
  DELIVERED: 'Delivered',
  DEAD: 'Given up: it is a dead letter until it is discarded or past its retention, also when it is replayed',
  DISCARDED: 'Discarded',
  HELD: 'Held',
};

/** What became of a delivery, step by step. */
export function DeliveryTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { status, log, createdAt, updatedAt, discardReason } = delivery;
  const isOver = status !== 'PENDING';
  return (
    <Timeline active={log.length + (isOver ? 1 : 0)} bulletSize={16} lineWidth={2}>
      <Timeline.Item title={<Begin delivery={delivery} />}>
        <When at={createdAt} />
      </Timeline.Item>
      {log.map(({ attempt, at, durationMs, ...answer }) => (
        <Timeline.Item
          key={`${attempt} ${at}`}
          color={answer.errorClass === null ? 'green' : 'red'}
          title={`Attempt ${attempt}: ${answerText(answer)} after ${durationText(durationMs)}`}
        >
          <When at={at} />
        </Timeline.Item>
      ))}
      {isOver ? (
        <Timeline.Item title={ENDS[status]} color={status === 'DEAD' ? 'red' : undefined}>
          {discardReason !== null && <Text size="sm">{discardReason}</Text>}
          {status === 'HELD' && <HeldBy delivery={delivery} />}
          <When at={updatedAt} />
        </Timeline.Item>
      ) : (
        <Timeline.Item title="Next attempt">
          <Next delivery={delivery} />
        </Timeline.Item>
      )}
    </Timeline>
  );
}

/** What it began with. A replay is made long after its event. */
function Begin({ delivery: { eventId, isTest, replayOf } }: { delivery: DeliveryDetail }) {
  if (isTest) return 'Test event sent by hand';
  if (replayOf === null) return <EventLink id={eventId}>Event recorded</EventLink>;
  return (
    <>
      Made as a replay of <EventLink id={eventId}>the event</EventLink>
    </>
  );
}

/** When an attempt comes; not by itself while the endpoint is closed. */
function Next({ delivery }: { delivery: DeliveryDetail }) {
  const { endpointId, event, nextAttemptAt, url } = delivery;
  const endpoint = useQuery({ ...endpointQuery(kindOf(event), endpointId), enabled: url !== null });
  if (nextAttemptAt === null) return 'under way';
  const what = waitsFor(delivery, endpoint.data, serverNow());
  return what === null ? <When at={nextAttemptAt} isDue /> : <Text size="sm">{WAITS[what]}</Text>;
}

const WAITS = {
  RESUME: 'When the endpoint is resumed: it is paused',
  OPENING: 'When the endpoint is open again: it is disabled',
} as const;

const When = ({ at, isDue = false }: { at: string; isDue?: boolean }) => (
  <Text size="xs" c="dimmed">
    <RelativeTime at={at} isDue={isDue} />
  </Text>
);
