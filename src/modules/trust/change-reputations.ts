import type { EventData } from '../../contracts/events/index.ts';
import type { Trx } from '../../platform/db/index.ts';
import { findEventsOfTrades, type LoggedEvent } from '../events/index.ts';
import { type Change, changesOf, changesOfPayments, type Scoring } from './reputation-rules.ts';
import { addChanges } from './reputation-store.ts';

type LoggedChange = Change & { event: LoggedEvent };

/** What the payments among these events complete, with those that the log holds of the same trades. */
async function changesByPayment(trx: Trx, events: readonly LoggedEvent[]): Promise<LoggedChange[]> {
  const paid = events.filter(({ event }) => event === 'checkout.completed');
  const tradeOf = ({ data }: LoggedEvent): string => (data as EventData<'checkout.completed'>).tradeSessionId;
  const latestFirst = await findEventsOfTrades(trx, paid, ['checkout.completed']);
  return [...Map.groupBy(latestFirst.toReversed(), tradeOf).values()].flatMap((ofTrade) =>
    changesOfPayments(ofTrade.map(({ data }) => data as EventData<'checkout.completed'>)).map(
      ({ index, ...change }) => ({
        ...change,
        event: ofTrade[index] as LoggedEvent,
      }),
    ),
  );
}

/** Reputation: changes the score of each user concerned by these events, once; by payments that of both sides at once. */
export async function changeReputations(trx: Trx, events: readonly LoggedEvent[]): Promise<void> {
  const alone = events.flatMap((event) =>
    changesOf(event.event as Scoring, event.data).map((change) => ({ ...change, event })),
  );
  await addChanges(trx, [...alone, ...(await changesByPayment(trx, events))]);
}
