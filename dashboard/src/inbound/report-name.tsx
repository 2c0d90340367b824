import type { InboundReport } from '@posthorn/client';

/** What a report calls itself: its event, also one that is none, as it was sent. */
export const reportTitle = ({ event, unknownEvent }: Pick<InboundReport, 'event' | 'unknownEvent'>): string =>
  event ?? (unknownEvent ? `unknown event “${unknownEvent}”` : 'unreadable');

/** The same in a list; a name that somebody sent turns nothing around. */
export const ReportName = ({ report }: { report: Pick<InboundReport, 'event' | 'unknownEvent'> }) => (
  <bdi style={{ overflowWrap: 'anywhere' }}>{reportTitle(report)}</bdi>
);
