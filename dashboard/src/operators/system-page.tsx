import { Alert, Paper, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import type { Reader, SystemHealth } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { arrivedText } from '../account/arrived.ts';
import { DeliveryLink } from '../account/links.tsx';
import { ALL } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { bytesText, countText, durationText } from '../lib/format.ts';
import { Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Tile } from '../ui/tile.tsx';
import { readersQuery } from './readers-page.tsx';
import { OnItsWay } from '../ui/on-its-way.tsx';

const EVERY_MS = 5000;
/** Counting deliveries costs more than asking a node how it fares. Milliseconds. */
const SELDOM_MS = 30_000;
const HOUR_MS = 3_600_000;
/** From so many events on somebody should look why. */
const MUCH_LAG = 1000;

const BUSES: Readonly<Record<SystemHealth['bus'], string>> = {
  LOCAL: 'within this process: there is no other node',
  POSTGRES: 'LISTEN and NOTIFY of PostgreSQL',
  NATS: 'NATS',
};

/** Whether the service does its work: database, readers, deliveries, the node that answers. */
export function SystemPage() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => posthorn.getSystemHealth({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const readers = useQuery(readersQuery);
  return (
    <Page title="System" text="How the node that answers fares, and whether the service keeps up.">
      {system.isError && <Failure error={system.error} onRetry={() => void system.refetch()} />}
      <Warnings readers={readers.data?.data ?? []} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <LagTiles readers={readers.data?.data} />
        <DeliveryTiles />
        {system.data && <NodeTiles system={system.data} />}
      </SimpleGrid>
      {system.data ? <Node system={system.data} /> : !system.isError && <OnItsWay height={200} />}
    </Page>
  );
}

function Warnings({ readers }: { readers: readonly Reader[] }) {
  const told = [
    // What has nothing to do may rest.
    ...readers.filter(({ active, lag }) => !active && lag > 0).map(({ name }) => `${name} is not running on any node.`),
    ...readers
      .filter(({ lag }) => lag >= MUCH_LAG)
      .map(({ name, lag }) => `${name} is ${countText(lag)} events behind.`),
    ...readers
      .filter(({ setAside }) => setAside > 0)
      .map(({ name, setAside }) => `${name} has set ${countText(setAside)} events aside.`),
  ];
  if (told.length === 0) return null;
  return (
    <Alert color="yellow" title="Something needs you">
      <Stack gap={2}>
        {told.map((line) => (
          <span key={line}>{line}</span>
        ))}
        <TextLink to="/operators/readers">To the readers</TextLink>
      </Stack>
    </Alert>
  );
}

function LagTiles({ readers }: { readers: readonly Reader[] | undefined }) {
  if (!readers) return <Skeleton h={76} />;
  const most = readers.toSorted((a, b) => b.lag - a.lag)[0];
  const note = !most ? 'no reader yet' : most.lag === 0 ? 'all readers keep up' : most.name;
  return <Tile label="Furthest behind" value={countText(most?.lag ?? 0)} note={note} />;
}

/** Deliveries of the last hour, of all accounts. */
function DeliveryTiles() {
  const { data } = useQuery({
    queryKey: ['overview', null, 'system'],
    queryFn: ({ signal }) =>
      posthorn.getDeliveryInsights(
        { since: new Date(serverNow() - HOUR_MS).toISOString(), bucket: 'hour' },
        { signal },
      ),
    refetchInterval: SELDOM_MS,
  });
  if (!data) return <Skeleton h={76} />;
  const { total, oldestPending, attemptMs } = data;
  return (
    <>
      <Tile label="Deliveries, last hour" value={countText(total)} note={arrivedText(data)} />
      <Tile
        label="Oldest pending"
        value={
          oldestPending ? (
            <DeliveryLink id={oldestPending.id} accountId={ALL}>
              <RelativeTime at={oldestPending.createdAt} />
            </DeliveryLink>
          ) : (
            'none'
          )
        }
        note={`attempts p95 ${durationText(attemptMs?.p95 ?? null)}`}
      />
    </>
  );
}

function NodeTiles({ system: { database, memory, version } }: { system: SystemHealth }) {
  return (
    <>
      <Tile label="Database answers in" value={durationText(database.answerMs)} note={bytesText(database.sizeBytes)} />
      <Tile label="Memory" value={bytesText(memory.residentBytes)} note={`${bytesText(memory.heapUsedBytes)} heap`} />
      <Tile label="Version" value={version} note={database.schema ?? ''} />
    </>
  );
}

const replicaText = ({ used, reason, lagBytes }: NonNullable<SystemHealth['replica']>): string =>
  used
    ? 'answers reads'
    : `not used (${reason}${lagBytes === null || lagBytes === 0 ? '' : `, ${bytesText(lagBytes)} behind`}): the primary answers`;

function Node({ system }: { system: SystemHealth }) {
  const { node, environment, startedAt, database, replica, bus, sharedRateLimits, mail } = system;
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        The node that answered
      </Title>
      <Facts
        facts={[
          ['Node', node],
          ['Environment', environment],
          ['Started', <RelativeTime key="s" at={startedAt} />],
          ['Database', `${database.kind === 'postgres' ? 'PostgreSQL' : 'PGlite, embedded'} ${database.version}`],
          ['Read replica', replica ? replicaText(replica) : undefined],
          ['Nodes talk by', BUSES[bus]],
          ['Rate limits', sharedRateLimits ? 'counted over all nodes' : 'counted by each node for itself'],
          ['Mail', mail ? 'a mail server is set' : 'no mail server is set: nobody gets e-mail'],
        ]}
      />
    </Paper>
  );
}
