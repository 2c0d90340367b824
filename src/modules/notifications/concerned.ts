import type { EventData, InternalEvent } from '../../contracts/events/index.ts';

/** The events of interface.md §6.7.6 that notifications react to. */
export const NOTIFYING = [
  'offer.created',
  'offer.accepted',
  'offer.rejected',
  'offer.cancelled',
  'offer.expired',
  'offer.countered',
  'trade.created',
  'trade.accepted',
  'trade.completed',
  'trade.cancelled',
  'checkout.started',
  'checkout.completed',
  'checkout.failed',
  'fulfillment.started',
  'fulfillment.completed',
] as const satisfies readonly InternalEvent[];
export type Notifying = (typeof NOTIFYING)[number];

/** The users of an offer or trade. */
export interface Parties {
  initiator: string;
  counterparty: string;
}

/** Who is told what. */
export interface Notice {
  userId: string;
  text: string;
}

type Side = 'INITIATOR' | 'COUNTERPARTY';
const userOf = (parties: Parties, side: Side): string =>
  side === 'INITIATOR' ? parties.initiator : parties.counterparty;
const otherOf = (side: Side): Side => (side === 'INITIATOR' ? 'COUNTERPARTY' : 'INITIATOR');

const told = (userId: string, text: string): Notice => ({ userId, text });
const both = ({ initiator, counterparty }: Parties, text: string): Notice[] => [
  told(initiator, text),
  told(counterparty, text),
];

/**
 * Who is told what of an event. `parties` are those of its offer or trade; without them (the trade began before this
 * service knew of it) nobody is told of what names no user. What blames nobody in the event blames nobody here.
 */
const NOTICES: { [N in Notifying]: (data: EventData<N>, parties: Parties | null) => Notice[] } = {
  'offer.created': ({ counterparty, counterOf }) => [
    told(counterparty.userId, counterOf === undefined ? 'You have a new offer.' : 'You have a counter-offer.'),
  ],
  'offer.accepted': ({ initiator }) => [told(initiator.userId, 'Your offer was accepted.')],
  'offer.rejected': ({ initiator }) => [told(initiator.userId, 'Your offer was turned down.')],
  'offer.cancelled': ({ counterparty }) => [told(counterparty.userId, 'An offer to you was taken back.')],
  'offer.expired': ({ initiator, counterparty }) => [
    told(initiator.userId, 'Your offer has lapsed without an answer.'),
    told(counterparty.userId, 'An offer to you has lapsed.'),
  ],
  'offer.countered': ({ initiator }) => [told(initiator.userId, 'Your offer was answered with other terms.')],
  'trade.created': (_data, parties) => (parties ? both(parties, 'Your trade is open: confirm it to go on.') : []),
  'trade.accepted': (_data, parties) => (parties ? both(parties, 'Your trade is confirmed by both sides.') : []),
  'trade.completed': ({ initiator, counterparty }) =>
    both({ initiator: initiator.userId, counterparty: counterparty.userId }, 'Your trade is completed.'),
  'trade.cancelled': ({ reason }, parties) =>
    parties
      ? both(
          parties,
          reason === 'UNRECIPROCATED'
            ? 'Your trade was cancelled: not both sides had paid in time.'
            : 'Your trade was cancelled.',
        )
      : [],
  'checkout.started': ({ side, tradeAmount }, parties) => {
    const whatToDo = tradeAmount > 0 ? 'pay to go on with the trade' : 'there is nothing to pay';
    return parties ? [told(userOf(parties, side), `Your checkout is open: ${whatToDo}.`)] : [];
  },
  'checkout.completed': ({ side, userId, tradeAmount, counterpartyCompleted }, parties) => {
    const what = tradeAmount > 0 ? 'Your payment has arrived' : 'Your checkout is completed';
    return [
      told(userId, counterpartyCompleted ? `${what}; both checkouts of your trade are completed.` : `${what}.`),
      ...(parties
        ? [
            told(
              userOf(parties, otherOf(side)),
              counterpartyCompleted
                ? 'Both checkouts of your trade are completed.'
                : 'The other side of your trade has completed its checkout; yours is open.',
            ),
          ]
        : []),
    ];
  },
  'checkout.failed': (_data, parties) => (parties ? both(parties, 'A checkout of your trade has failed.') : []),
  'fulfillment.started': ({ recipientUserId }) => [told(recipientUserId, 'Your items are on their way.')],
  'fulfillment.completed': ({ userId, recipientUserId }) => [
    told(recipientUserId, 'Your items were handed over.'),
    told(userId, 'The items of your side have arrived.'),
  ],
};

/** See NOTICES; a user on both sides is told once. */
export function noticesOf(event: Notifying, data: unknown, parties: Parties | null): Notice[] {
  const notices = (NOTICES[event] as (data: unknown, parties: Parties | null) => Notice[])(data, parties);
  return [...new Map(notices.toReversed().map((notice) => [notice.userId, notice])).values()].toReversed();
}
