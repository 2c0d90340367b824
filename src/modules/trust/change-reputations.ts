import type { EventData } from '../../contracts/events/index.ts';
import { asWeWrite } from '../../lib/ids.ts';
import type { Trx } from '../../platform/db/index.ts';
import { findFirstsOfTrades, type LoggedEvent } from '../events/index.ts';
import { type Change, changesOf, changesOfPayments, type Scoring } from './reputation-rules.ts';
import { addChanges } from './reputation-store.ts';

type LoggedChange = Change & { event: LoggedEvent };
type OfTrade = 'trade.completed' | 'checkout.completed';

/**
 * How many events of a trade are looked at for the first: a publisher may give all of its events one trade. A trade of which one side
 * has paid so often before the other did is none. (1000 take the database 1 ms.)
 */
const AMONG = { 'trade.completed': 1, 'checkout.completed': 1000 } as const satisfies Record<OfTrade, number>;

/** The first of this name that the log holds of the trades that these are about, of payments the first of each side; those of a trade together, oldest first. */
async function firstsByTrade(trx: Trx, events: readonly LoggedEvent[], name: OfTrade): Promise<LoggedEvent[][]> {
  const about = events.filter(({ event }) => event === name);
  const firsts = await findFirstsOfTrades(trx, about, { name, among: AMONG[name] });
  const tradeOf = ({ data }: LoggedEvent): string => asWeWrite((data as EventData<OfTrade>).tradeSessionId);
  return [...Map.groupBy(firsts, tradeOf).values()];
}

/** What changes a score by itself; of the completions of a trade that is the first, however often it was published. */
async function changesAlone(trx: Trx, events: readonly LoggedEvent[]): Promise<LoggedChange[]> {
  const firsts = (await firstsByTrade(trx, events, 'trade.completed')).flat();
  const others = events.filter(({ event }) => event !== 'trade.completed');
  return [...firsts, ...others].flatMap((event) =>
    changesOf(event.event as Scoring, event.data).map((change) => ({ ...change, event })),
  );
}

/** What the payments among these events complete, with those that the log holds of the same trades. */
async function changesByPayment(trx: Trx, events: readonly LoggedEvent[]): Promise<LoggedChange[]> {
  return (await firstsByTrade(trx, events, 'checkout.completed')).flatMap((ofTrade) =>
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
