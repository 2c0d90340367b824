import { Group, Text, Timeline } from '@mantine/core';
import type { TradeDetail } from '@posthorn/client';
import type { ReactNode } from 'react';
import { DeliveryLink, EventLink, ReportLink } from '../account/links.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import classes from './trade-timeline.module.css';

type Entry = TradeDetail['timeline'][number];

interface Told {
  title: ReactNode;
  text?: ReactNode;
  color?: string;
}

/** What is not usual of a delivery: it was tried again, or is a replay. */
function deliveryText({ attempts, replayOf }: Extract<Entry, { kind: 'DELIVERY' }>): string | undefined {
  const parts = [attempts > 1 ? `${attempts} attempts` : '', replayOf === null ? '' : 'a replay'];
  return parts.filter((part) => part !== '').join(', ') || undefined;
}

/** What an entry says. */
function toldOf(entry: Entry): Told {
  switch (entry.kind) {
    case 'EVENT':
      return { title: <EventLink id={entry.eventId}>{entry.event}</EventLink> };
    case 'REPORT':
      return {
        title: <ReportLink id={entry.reportId}>{entry.event ?? 'an unreadable report'}</ReportLink>,
        text: `reported by a merchant for ${entry.side?.toLowerCase() ?? 'no side'}: ${entry.verdict.toLowerCase()}${entry.message === null ? '' : `, ${entry.message}`}`,
        color: entry.verdict === 'REFUSED' ? 'red' : undefined,
      };
    case 'STEP':
      return {
        title: `Now ${entry.status.toLowerCase()}`,
        text: entry.refused === null ? `by ${entry.cause}` : `${entry.cause} was refused: ${entry.refused}`,
        color: entry.refused === null ? 'grape' : 'red',
      };
    case 'NOTIFICATION':
      return { title: `${entry.userId} was told`, text: entry.text, color: 'gray' };
    case 'REPUTATION':
      return {
        title: `Reputation of ${entry.userId}: ${entry.delta > 0 ? '+' : ''}${entry.delta}`,
        text: entry.reason,
        color: 'gray',
      };
    case 'DELIVERY':
      return {
        title: (
          <>
            <DeliveryLink id={entry.deliveryId}>Delivery of {entry.event}</DeliveryLink>{' '}
            <StatusBadge status={entry.status} />
          </>
        ),
        text: deliveryText(entry),
        color: entry.status === 'DELIVERED' ? 'green' : entry.status === 'DEAD' ? 'red' : 'blue',
      };
  }
}

/** Events, reports, steps and deliveries of a trade in their order. */
export function TradeTimeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <Timeline active={entries.length} bulletSize={14} lineWidth={2}>
      {entries.map((entry, i) => {
        const { title, text, color } = toldOf(entry);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- entries are only ever added at the end
          <Timeline.Item
            key={`${entry.kind} ${entry.at} ${i}`}
            className={classes.entry}
            title={
              <Group gap={6}>
                {title}
                <Text span size="xs" c="dimmed" fw={400}>
                  <RelativeTime at={entry.at} />
                </Text>
              </Group>
            }
            {...(color === undefined ? {} : { color })}
          >
            {text !== undefined && <Text size="sm">{text}</Text>}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}
