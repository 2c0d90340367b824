import { Paper, SegmentedControl, SimpleGrid, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { arrivedShare } from '../account/arrived.ts';
import { deadLettersQuery } from '../account/dead-letters-query.ts';
import { DeliveryLink } from '../account/links.tsx';
import { KINDS, kindOfAccount } from '../account/kinds.ts';
import { useScope } from '../account/scope.ts';
import { countedText, countText, durationText, percentText } from '../lib/format.ts';
import { given } from '../lib/given.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Tile } from '../ui/tile.tsx';
import { BucketChart, type Series } from './bucket-chart.tsx';
import { EndpointRanks, ReasonRanks } from './ranks.tsx';
import { type DeliveryInsights, overviewQuery, SPANS, type Span } from './overview-queries.ts';
import { OnItsWay } from '../ui/on-its-way.tsx';

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
  const { path, account } = useScope();
  const { all, noun } = KINDS[kindOfAccount(account)];
  if (insights.total === 0 && insights.oldestPending === null) {
    return (
      <EmptyState
        title="No deliveries in this time"
        text={`Send a test event to one of the ${noun}s, or choose a longer time.`}
        action={
          <LinkButton to={all} params={{ accountId: path }} variant="default">
            To the {noun}s
          </LinkButton>
        }
      />
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

/** "12 per minute", or per hour where there is less than one a minute. */
function rateText(total: number, span: Span): string {
  const perMinute = total / (SPANS[span].ms / 60_000);
  if (perMinute >= 1) return `${countText(Math.round(perMinute))} per minute`;
  return `${Number((perMinute * 60).toPrecision(2))} per hour`;
}

function Tiles({ insights, span }: { insights: DeliveryInsights; span: Span }) {
  const { total, attemptMs, deliveredAfterMs, oldestPending, pending, held } = insights;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <Tile label="Deliveries" value={countText(total)} note={rateText(total, span)} />
      <Tile
        label="Arrived"
        value={percentText(arrivedShare(insights))}
        note={`until now; ${countText(insights.failedAttempts)} of ${countText(insights.attempts)} attempts failed`}
      />
      <Tile
        label="An attempt takes"
        value={durationText(attemptMs?.p50 ?? null)}
        note={`p95 ${durationText(attemptMs?.p95 ?? null)}`}
      />
      <Tile
        label="Delivered after"
        value={durationText(deliveredAfterMs?.p50 ?? null)}
        note={`p95 ${durationText(deliveredAfterMs?.p95 ?? null)}`}
      />
      <Tile
        label="Oldest pending"
        value={
          oldestPending ? (
            <DeliveryLink id={oldestPending.id}>
              <RelativeTime at={oldestPending.createdAt} />
            </DeliveryLink>
          ) : (
            'none'
          )
        }
        note={`${countText(pending)} pending, ${countText(held)} held`}
      />
      <DeadLetters ofThisTime={insights.dead} />
    </SimpleGrid>
  );
}

/** How many lie there, whenever they were made: what dies today was made yesterday. */
function DeadLetters({ ofThisTime }: { ofThisTime: number }) {
  const { path, accountId } = useScope();
  const { data } = useInfiniteQuery(deadLettersQuery(given({ accountId })));
  const groups = data?.pages.flatMap((page) => page.data) ?? [];
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const isExact = data?.pages.at(-1)?.nextCursor === null && groups.every((group) => group.countIsExact);
  return (
    <Tile
      label="Dead letters"
      value={
        data ? (
          <TextLink to="/a/$accountId/dead-letters" params={{ accountId: path }} c="inherit">
            {countedText(count, isExact)}
          </TextLink>
        ) : (
          '–'
        )
      }
      note={`now; ${countText(ofThisTime)} made in this time`}
      {...(count > 0 && { color: 'var(--mantine-color-error)' })}
    />
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
