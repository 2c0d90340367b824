import type { EventData, InternalEvent } from '../../contracts/events/index.ts';
import { asWeWrite } from '../../lib/ids.ts';

/** The events of interface.md §6.7.6 that reputation reacts to. */
export const SCORING = [
  'trade.completed',
  'checkout.completed',
  'fraud_signal.detected',
] as const satisfies readonly InternalEvent[];
export type Scoring = (typeof SCORING)[number];

/** What somebody has of whom nothing is known, and the bounds of what is shown. Points. */
export const BASE_SCORE = 500;
export const MAX_SCORE = 1000;

const TRADE = 10;
const CHECKOUT = 2;
const SIGNAL = { LOW: -20, MEDIUM: -60, HIGH: -200 } as const;

/** One change of somebody's score. */
export interface Change {
  userId: string;
  /** Points. */
  delta: number;
  reason: string;
}

/** What changes a score by itself; payments do so together. */
type Alone = Exclude<Scoring, 'checkout.completed'>;

const CHANGES: { [N in Alone]: (data: EventData<N>) => Change[] } = {
  // A trade with oneself would be points for nothing.
  'trade.completed': ({ initiator, counterparty }) => {
    const users = [...new Set([initiator, counterparty].map(({ userId }) => asWeWrite(userId)))];
    return users.length < 2 ? [] : users.map((userId) => ({ userId, delta: TRADE, reason: 'Completed a trade.' }));
  },
  'fraud_signal.detected': ({ userId, rule, severity, explanation }) => [
    { userId: asWeWrite(userId), delta: SIGNAL[severity], reason: `${rule}, ${severity}: ${explanation}` },
  ],
};

/** Whose score an event changes, by how much and why; each user once. Nobody's by a payment: see `changesOfPayments`. */
export const changesOf = (event: Scoring, data: unknown): Change[] =>
  event === 'checkout.completed' ? [] : (CHANGES[event] as (data: unknown) => Change[])(data);

type Payment = Pick<EventData<'checkout.completed'>, 'side' | 'userId'>;

/**
 * What the payments of one trade change, oldest first, each with its index: nothing until both sides have paid, then the first of
 * each side. A score that moved with one payment would tell everybody who paid, and after a trade that failed, who did not
 * (interface.md 6.7.5). A trade with oneself would be points for nothing.
 */
export function changesOfPayments(payments: readonly Payment[]): (Change & { index: number })[] {
  const firsts = (['INITIATOR', 'COUNTERPARTY'] as const).map((side) => payments.findIndex((one) => one.side === side));
  if (firsts.includes(-1)) return [];
  const userOf = (index: number): string => asWeWrite((payments[index] as Payment).userId);
  if (new Set(firsts.map(userOf)).size < 2) return [];
  return firsts.map((index) => ({
    index,
    userId: userOf(index),
    delta: CHECKOUT,
    reason: 'Paid for a side of a trade.',
  }));
}

/** The score that is shown for a sum of changes. */
export const scoreOf = (sum: number): number => Math.min(MAX_SCORE, Math.max(0, BASE_SCORE + sum));
