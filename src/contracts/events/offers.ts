import { Type } from 'typebox';
import { currency, defineEvent, EXAMPLE, foreignId, instant, text } from './shared.ts';
import {
  BOTH_ACCOUNTS,
  BOTH_SIDES,
  EXAMPLE_COUNTERPARTY,
  EXAMPLE_INITIATOR,
  EXAMPLE_PARTIES,
  party,
  sideTerms,
} from './terms.ts';

const offerId = () => foreignId('The offer.');

const parties = () => ({
  offerId: offerId(),
  initiator: party('Who made the offer.'),
  counterparty: party('To whom it was made.'),
});

const terms = () => ({
  offerId: offerId(),
  initiator: sideTerms('The side that made the offer.'),
  counterparty: sideTerms('The side to which it was made.'),
  currency: currency(),
});

const EXAMPLE_TERMS = {
  offerId: EXAMPLE.offer,
  initiator: EXAMPLE_INITIATOR,
  counterparty: EXAMPLE_COUNTERPARTY,
  currency: EXAMPLE.currency,
};

const offerCreated = defineEvent({
  event: 'offer.created',
  description: 'A user offers a trade to another; also for the new offer that a counter-offer is.',
  subject: 'offerId',
  audience: BOTH_ACCOUNTS,
  webhook: 'MERCHANT',
  fields: {
    ...terms(),
    counterOf: Type.Optional(foreignId('The offer that this one answers, if it is a counter-offer.')),
    expiresAt: Type.Optional(instant('When the offer lapses.')),
    message: Type.Optional(text(1000, 'What the initiator wrote.')),
  },
  example: { ...EXAMPLE_TERMS, expiresAt: '2026-03-03T09:00:00.000Z' },
});

const offerAccepted = defineEvent({
  event: 'offer.accepted',
  description: 'The counterparty accepts the offer. A trade session is created from it.',
  subject: 'offerId',
  audience: BOTH_ACCOUNTS,
  webhook: 'MERCHANT',
  fields: terms(),
  example: EXAMPLE_TERMS,
});

const offerRejected = defineEvent({
  event: 'offer.rejected',
  description: 'The counterparty turns the offer down.',
  subject: 'offerId',
  audience: BOTH_SIDES,
  webhook: 'MERCHANT',
  fields: { ...parties(), reason: Type.Optional(text(500, 'What the counterparty wrote.')) },
  example: { offerId: EXAMPLE.offer, ...EXAMPLE_PARTIES, reason: 'The chair is promised to a friend.' },
});

const offerCancelled = defineEvent({
  event: 'offer.cancelled',
  description: 'The initiator takes the offer back before it was answered.',
  subject: 'offerId',
  audience: BOTH_SIDES,
  webhook: null,
  fields: { ...parties(), reason: Type.Optional(text(500, 'What the initiator wrote.')) },
  example: { offerId: EXAMPLE.offer, ...EXAMPLE_PARTIES },
});

const offerExpired = defineEvent({
  event: 'offer.expired',
  description: 'The offer lapses without an answer.',
  subject: 'offerId',
  audience: BOTH_SIDES,
  webhook: null,
  fields: parties(),
  example: { offerId: EXAMPLE.offer, ...EXAMPLE_PARTIES },
});

const offerCountered = defineEvent({
  event: 'offer.countered',
  description: 'The counterparty answers with other terms. They follow as an `offer.created` with `counterOf`.',
  subject: 'offerId',
  audience: BOTH_SIDES,
  webhook: null,
  fields: { ...parties(), counterOfferId: foreignId('The new offer.') },
  example: { offerId: EXAMPLE.offer, ...EXAMPLE_PARTIES, counterOfferId: 'off_9Zk20p' },
});

export const OFFER_EVENTS = {
  'offer.created': offerCreated,
  'offer.accepted': offerAccepted,
  'offer.rejected': offerRejected,
  'offer.cancelled': offerCancelled,
  'offer.expired': offerExpired,
  'offer.countered': offerCountered,
};
