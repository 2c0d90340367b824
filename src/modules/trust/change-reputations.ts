import type { EventData } from '../../contracts/events/index.ts';
import type { Trx } from '../../platform/db/index.ts';
import { findEventsOfTrades, type LoggedEvent } from '../events/index.ts';
import { type Change, changesOf, changesOfPayments, type Scoring } from './reputation-rules.ts';
import { addChanges } from './reputation-store.ts';

type LoggedChange = Change & { event: LoggedEvent };
type OfTrade = 'trade.completed' | 'checkout.completed';

/** All events of this name that the log holds of the trades that these are about; those of a trade together, oldest first. */
async function byTrade(trx: Trx, events: readonly LoggedEvent[], name: OfTrade): Promise<LoggedEvent[][]> {
  const about = events.filter(({ event }) => event === name);
  const latestFirst = await findEventsOfTrades(trx, about, [name]);
  const tradeOf = ({ data }: LoggedEvent): string => (data as EventData<OfTrade>).tradeSessionId;
  return [...Map.groupBy(latestFirst.toReversed(), tradeOf).values()];
}

/** What changes a score by itself; of the completions of a trade that is the first, however often it was published. */
async function changesAlone(trx: Trx, events: readonly LoggedEvent[]): Promise<LoggedChange[]> {
  const firsts = (await byTrade(trx, events, 'trade.completed')).flatMap((ofTrade) => ofTrade.slice(0, 1));
  const others = events.filter(({ event }) => event !== 'trade.completed');
  return [...firsts, ...others].flatMap((event) =>
    changesOf(event.event as Scoring, event.data).map((change) => ({ ...change, event })),
  );
}

/** What the payments among these events complete, with those that the log holds of the same trades. */
async function changesByPayment(trx: Trx, events: readonly LoggedEvent[]): Promise<LoggedChange[]> {
  return (await byTrade(trx, events, 'checkout.completed')).flatMap((ofTrade) =>
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
  await addChanges(trx, [...(await changesAlone(trx, events)), ...(await changesByPayment(trx, events))]);
}
