import { Group, Text } from '@mantine/core';
import type { AuditEvent } from '@posthorn/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { DeliveryLink, EventLink } from '../account/links.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { posthorn } from '../api/client.ts';
import { Failure } from '../ui/failure.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import classes from './cause-tree.module.css';
import { firstDeliveriesQuery } from './routing-query.ts';
import { OnItsWay } from '../ui/on-its-way.tsx';

/** Further back, or deeper, one goes on from the event at the end. */
const MOST_BACK = 20;
const MOST_DEEP = 6;
const MOST_CHILDREN = 50;

/** From the first cause to this event. What the caller may not see ends the line. */
async function causesOf(event: AuditEvent, signal: AbortSignal): Promise<AuditEvent[]> {
  const line: AuditEvent[] = [];
  for (let next = event.causedBy; next !== null && line.length < MOST_BACK; ) {
    const cause: AuditEvent | null = await posthorn.getEvent({ id: next }, { signal }).catch(() => null);
    if (!cause) break;
    line.unshift(cause);
    next = cause.causedBy;
  }
  return line;
}

const causesQuery = (event: AuditEvent) =>
  queryOptions({
    queryKey: ['events', event.id, 'causes'],
    queryFn: ({ signal }) => causesOf(event, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

const causedQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id, 'caused'],
    queryFn: ({ signal }) => posthorn.listEvents({ causedBy: id, limit: MOST_CHILDREN }, { signal }),
  });

/** The line of causes, the event, and below it what it caused: events, and their deliveries. */
export function CauseTree({ event }: { event: AuditEvent }) {
  const causes = useQuery(causesQuery(event));
  if (causes.isError) return <Failure error={causes.error} onRetry={() => void causes.refetch()} />;
  if (!causes.data) return <OnItsWay height={60} />;
  const tree = causes.data.reduceRight(
    (inner, cause) => (
      <ul className={classes.tree}>
        <li>
          <Line event={cause} />
          {inner}
        </li>
      </ul>
    ),
    <ul className={classes.tree}>
      <Branch event={event} depth={0} isHere />
    </ul>,
  );
  return <div className={classes.root}>{tree}</div>;
}

function Line({ event: { id, event, recordedAt }, isHere = false }: { event: AuditEvent; isHere?: boolean }) {
  return (
    <Group gap="xs">
      {isHere ? <strong>{event}</strong> : <EventLink id={id}>{event}</EventLink>}
      <Text size="xs" c="dimmed">
        {isHere && 'this event, '}
        <RelativeTime at={recordedAt} />
      </Text>
    </Group>
  );
}

/** An event with what it caused. */
function Branch({ event, depth, isHere = false }: { event: AuditEvent; depth: number; isHere?: boolean }) {
  const caused = useQuery(causedQuery(event.id));
  const { data: deliveries = [] } = useQuery(firstDeliveriesQuery(event.id));
  const children = (caused.data?.data ?? []).toReversed();
  return (
    <li>
      <Line event={event} isHere={isHere} />
      {(children.length > 0 || deliveries.length > 0) && (
        <ul className={classes.tree}>
          {deliveries.map(({ id, event: webhook, status, accountId, replayOf, endpointId, endpointUrl }) => (
            <li key={id} className={classes.delivery}>
              <DeliveryLink id={id} accountId={accountId}>
                {replayOf === null ? 'delivery' : 'replay'} of {webhook} to {endpointUrl ?? `endpoint ${endpointId}`}
              </DeliveryLink>{' '}
              <StatusBadge status={status} />
            </li>
          ))}
          {depth < MOST_DEEP
            ? children.map((child) => <Branch key={child.id} event={child} depth={depth + 1} />)
            : children.map((child) => (
                <li key={child.id}>
                  <Line event={child} />
                </li>
              ))}
        </ul>
      )}
    </li>
  );
}
