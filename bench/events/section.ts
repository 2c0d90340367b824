/** The results of bench/events.ts as a part of RESULTS.md. */
import type { EventsResult } from '../events.ts';

const n = (value: number): string => Math.round(value).toLocaleString('en-US');
const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '–');
const share = (value: number): string => value.toFixed(2);

const table = (head: string, rows: readonly (readonly string[])[]): string =>
  [head.split('|'), head.split('|').map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Markdown. */
export function eventsSection({ events, ingest, lag, rate, audit, fixedRate }: EventsResult): string {
  return `## Events

\`node bench/events.ts\` (BENCH_EVENTS: how many for the audit). Events of all 31 types, nine of ten of them in trades of 15 events,
between 2,000 accounts of which some take part in much more than others (bench/events/mix.ts).

Publishing by POST /v1/events (wrk), every 202 counted against the rows; single events on 128 connections, batches on 32.
Ceiling: inserts of 1,000 rows into the same table by the same driver on two connections, nothing around them, right before
each run. With role \`api\` nothing reads the log; else fan-out, reactions and seals do, in the same process. The row is the
round whose part of the ceiling is the median. Lost: events that were answered and are not in the table, over all rounds.

${table(
  'Publishing|ceiling/s|events/s|of ceiling|every round|p99 ms|lost',
  ingest.map((r) => [
    r.name,
    n(r.ceiling),
    n(r.perSecond),
    share(r.ofCeiling),
    r.rounds.map(share).join(', '),
    ms(r.p99),
    n(r.lost),
  ]),
)}

How far reactions are behind at ${n(rate)} single events per second, half of what was published above, from when an event can be
seen by others to when the reaction's effect can be; looked at about every 2 ms.

${table(
  'Reaction|events/s|of them its own|p50 ms|p99 ms|max ms',
  lag.map((r) => [r.reader, n(r.perSecond), n(r.reactsTo), ms(r.p50), ms(r.p99), ms(r.max)]),
)}

The audit trail with ${n(events)} events, GET /v1/events by an operator, pages of 20, at ${n(fixedRate)} requests per second that
leave on time, each for something else. A deep page begins anywhere in the log.

${table(
  'Asked for|p50 ms|p99 ms|max ms',
  audit.map((r) => [r.name, ms(r.p50), ms(r.p99), ms(r.max)]),
)}
`;
}
