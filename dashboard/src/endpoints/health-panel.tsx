import { Alert, SimpleGrid, Stack, Text } from '@mantine/core';
import type { WebhookEndpointHealth } from '@posthorn/client';
import { capital, durationText, percentText, plural } from '../lib/format.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { Tile } from '../ui/tile.tsx';
import { causeText } from '../account/causes.ts';
import { waitingText } from './health-text.tsx';

/** How an endpoint fares, in tiles, and what threatens it. */
export function HealthPanel({ health }: { health: WebhookEndpointHealth }) {
  const { lastDay, lastHour, lastFailure, oldestPending } = health;
  return (
    <Stack>
      <Trouble health={health} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Tile
          label="Success, 24 h"
          value={percentText(lastDay.successRate)}
          note={`${percentText(lastHour.successRate)} in the last hour`}
        />
        <Tile
          label="An attempt takes"
          value={durationText(lastDay.p50Ms)}
          note={`p95 ${durationText(lastDay.p95Ms)}, ${plural(lastDay.attempts, 'attempt')}`}
        />
        <Tile
          label="Pending"
          value={waitingText(health.pending)}
          note={
            oldestPending ? (
              <>
                since <RelativeTime at={oldestPending.createdAt} />
              </>
            ) : (
              'nothing waits'
            )
          }
        />
        <Tile
          label="Held"
          value={waitingText(health.held)}
          note={health.status === 'PAUSED' ? 'kept until it is resumed' : 'kept until it is open again'}
        />
        <Tile label="Dead letters" value={waitingText(health.dead)} note="failed for good" />
        <Tile
          label="Last arrival"
          value={<RelativeTime at={health.lastSuccessAt} />}
          note={
            lastFailure ? (
              <>
                failed <RelativeTime at={lastFailure.at} />
              </>
            ) : (
              'no failure yet'
            )
          }
        />
      </SimpleGrid>
    </Stack>
  );
}

/** What somebody has to know: it is disabled, or will be. */
function Trouble({ health }: { health: WebhookEndpointHealth }) {
  const { status, statusReason, lastFailure, failingSince, disabledWhenFailingUntil, probe } = health;
  const cause = causeText(lastFailure?.errorClass ?? null);
  if (status === 'DISABLED') {
    return (
      <Alert color="red" title="It is disabled">
        {statusReason !== null && (
          <Text size="sm">
            <Sentence>{`${capital(statusReason)}.`}</Sentence>
          </Text>
        )}
        <Text size="sm">
          {probe.state === 'UNDER_WAY' ? (
            'One delivery is on its way to see whether it is well again.'
          ) : probe.at === null ? (
            'Resume it when the receiver is mended: one delivery is tried first, then the rest follows.'
          ) : (
            <>
              The next try: <RelativeTime at={probe.at} isDue />, or at once when you resume it.
            </>
          )}
        </Text>
      </Alert>
    );
  }
  if (failingSince === null) return null;
  return (
    <Alert
      color="yellow"
      title={
        <>
          Nothing but failures; they began <RelativeTime at={failingSince} />
        </>
      }
    >
      <Text size="sm">{cause ?? lastFailure?.errorClass}</Text>
      {disabledWhenFailingUntil !== null && (
        <Text size="sm">
          If that goes on it is disabled <RelativeTime at={disabledWhenFailingUntil} />.
        </Text>
      )}
    </Alert>
  );
}
