import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { arrivedShare } from '../account/arrived.ts';
import { DeliveryLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import { countedText, countText, durationText, percentText } from '../lib/format.ts';
import { TextLink } from '../ui/links.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Tile } from '../ui/tile.tsx';
import { deadLetterCountQuery, type DeliveryInsights, SPANS, type Span } from './overview-queries.ts';

/** "12 per minute", or per hour where there is less than one a minute. */
function rateText(total: number, span: Span): string {
  const perMinute = total / (SPANS[span].ms / 60_000);
  if (perMinute >= 1) return `${countText(Math.round(perMinute))} per minute`;
  return `${Number((perMinute * 60).toPrecision(2))} per hour`;
}

const COLUMNS = { base: 2, sm: 3, lg: 6 } as const;

/** The figures of a time, and how many dead letters there are. */
export function Tiles({ insights, span }: { insights: DeliveryInsights; span: Span }) {
  const { total, attemptMs, deliveredAfterMs, oldestPending, pending, held } = insights;
  return (
    <SimpleGrid cols={COLUMNS}>
      <Tile label="Deliveries" value={countText(total)} note={rateText(total, span)} />
      <Tile
        label="Arrived"
        value={percentText(arrivedShare(insights))}
        note={`until now${insights.discarded > 0 ? `, without ${countText(insights.discarded)} discarded` : ''}; ${countText(insights.failedAttempts)} of ${countText(insights.attempts)} attempts failed`}
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

/** Of a time in which nothing was sent: only whether there are dead letters of before. */
export function DeadLettersOfBefore() {
  const counted = useDeadLetterCount();
  if (counted.data ? counted.data.count === 0 : !counted.isUnknown) return null;
  return (
    <SimpleGrid cols={COLUMNS}>
      <DeadLetterTile counted={counted} ofThisTime={0} />
    </SimpleGrid>
  );
}

const DeadLetters = ({ ofThisTime }: { ofThisTime: number }) => (
  <DeadLetterTile counted={useDeadLetterCount()} ofThisTime={ofThisTime} />
);

/** Unknown it is also while it is asked for anew: else the tile would come and go. */
function useDeadLetterCount() {
  const { accountId } = useScope();
  const { data, isError, errorUpdateCount } = useQuery(deadLetterCountQuery(accountId));
  return { data, isUnknown: isError || (!data && errorUpdateCount > 0) };
}

interface DeadLetterTileProps {
  counted: ReturnType<typeof useDeadLetterCount>;
  ofThisTime: number;
}

/** How many lie there, whenever they were made: what dies today was made yesterday. */
function DeadLetterTile({ counted: { data, isUnknown }, ofThisTime }: DeadLetterTileProps) {
  const { path } = useScope();
  return (
    <Tile
      label="Dead letters"
      value={
        data ? (
          <TextLink to="/a/$accountId/dead-letters" params={{ accountId: path }} c="inherit">
            {countedText(data.count, data.isExact)}
          </TextLink>
        ) : (
          (isUnknown && 'unknown') || '–'
        )
      }
      note={`${isUnknown ? 'they cannot be counted just now' : 'now'}; ${countText(ofThisTime)} made in this time`}
      {...(data && data.count > 0 && { color: 'var(--mantine-color-error)' })}
    />
  );
}
