import { Paper, SegmentedControl, SimpleGrid, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useScope } from '../account/scope.ts';
import { countText, durationText } from '../lib/format.ts';
import { Failure } from '../ui/failure.tsx';
import { OnItsWay } from '../ui/on-its-way.tsx';
import { Page } from '../ui/page.tsx';
import { BucketChart, type Series } from './bucket-chart.tsx';
import { NothingSent } from './nothing-sent.tsx';
import { type DeliveryInsights, overviewQuery, SPANS, type Span } from './overview-queries.ts';
import { EndpointRanks, ReasonRanks } from './ranks.tsx';
import { DeadLettersOfBefore, Tiles } from './tiles.tsx';

const route = getRouteApi('/shell/a/$accountId/overview');

/** How deliveries fare: rate, success, times, what waits, what was given up and why. */
export function OverviewPage() {
  const { span = 'day' } = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId, account } = useScope();
  const query = useQuery(overviewQuery(accountId, span));
  return (
    <Page
      title="Overview"
      text={account ? `Deliveries to ${account.name}.` : 'Deliveries to all accounts.'}
      actions={
        <SegmentedControl
          aria-label="Time span"
          value={span}
          onChange={(next) => void navigate({ search: { span: next as Span } })}
          data={Object.entries(SPANS).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.data ? <Insights insights={query.data} span={span} /> : !query.isError && <OnItsWay height={360} />}
    </Page>
  );
}

function Insights({ insights, span }: { insights: DeliveryInsights; span: Span }) {
  if (insights.total === 0 && insights.oldestPending === null) {
    return (
      <>
        <DeadLettersOfBefore />
        <NothingSent />
      </>
    );
  }
  return (
    <>
      <Tiles insights={insights} span={span} />
      <Charts insights={insights} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ReasonRanks reasons={insights.deadLetters} />
        <EndpointRanks groups={insights.groups} />
      </SimpleGrid>
    </>
  );
}

const OUTCOMES: readonly Series[] = [
  { name: 'delivered', color: 'good' },
  { name: 'waiting', color: 'waiting' },
  { name: 'dead', color: 'bad' },
  { name: 'discarded', color: 'other' },
];
const TIMES: readonly Series[] = [
  { name: 'p50', color: 'waiting' },
  { name: 'up to p95', color: 'other' },
];

function Charts({ insights: { data } }: { insights: DeliveryInsights }) {
  const outcomes = data.map(({ start, delivered, pending, held, dead, discarded }) => ({
    start,
    values: [delivered, pending + held, dead, discarded],
  }));
  const times = data.map(({ start, attemptMs }) => ({
    start,
    values: attemptMs ? [attemptMs.p50, attemptMs.p95 - attemptMs.p50] : [0, 0],
  }));
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Paper withBorder p="md">
        <Title order={2} mb="sm">
          What became of them
        </Title>
        <BucketChart label="Deliveries by outcome" series={OUTCOMES} buckets={outcomes} format={countText} />
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} mb="sm">
          How long an attempt takes
        </Title>
        <BucketChart label="Time of an attempt" series={TIMES} buckets={times} format={durationText} />
      </Paper>
    </SimpleGrid>
  );
}
