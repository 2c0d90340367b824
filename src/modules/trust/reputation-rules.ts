import type { EventData, InternalEvent } from '../../contracts/events/index.ts';

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

const CHANGES: { [N in Scoring]: (data: EventData<N>) => Change[] } = {
  // A trade with oneself would be points for nothing.
  'trade.completed': ({ initiator, counterparty }) =>
    initiator.userId === counterparty.userId
      ? []
      : [initiator, counterparty].map(({ userId }) => ({ userId, delta: TRADE, reason: 'Completed a trade.' })),
  'checkout.completed': ({ userId }) => [{ userId, delta: CHECKOUT, reason: 'Paid for a side of a trade.' }],
  'fraud_signal.detected': ({ userId, rule, severity, explanation }) => [
    { userId, delta: SIGNAL[severity], reason: `${rule}, ${severity}: ${explanation}` },
  ],
};

/** Whose score an event changes, by how much and why; each user once. */
export const changesOf = (event: Scoring, data: unknown): Change[] =>
  (CHANGES[event] as (data: unknown) => Change[])(data);

/** The score that is shown for a sum of changes. */
export const scoreOf = (sum: number): number => Math.min(MAX_SCORE, Math.max(0, BASE_SCORE + sum));
