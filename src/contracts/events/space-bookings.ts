import { Type } from 'typebox';
import { amount, currency, defineEvent, EXAMPLE, foreignId, instant, oneOf, ownId, text } from './shared.ts';

/** The nine events of interface.md §6.2. There is none for a host's decline: that is a cancellation with this reason. */

const AUDIENCE = 'The business account that rents out the space (`businessAccountId`).';

const booking = () => ({
  bookingId: foreignId('The booking.'),
  spaceId: foreignId('The booked space.'),
  businessAccountId: ownId('Account of the business that rents out the space.'),
  guestUserId: foreignId('The user who books.'),
  startsAt: instant('Start of the booked time.'),
  endsAt: instant('End of the booked time.'),
});

const EXAMPLE_BOOKING = {
  bookingId: 'bkg_51Tt',
  spaceId: 'spc_atelier',
  businessAccountId: EXAMPLE.business,
  guestUserId: EXAMPLE.initiator,
  startsAt: '2026-04-10T08:00:00.000Z',
  endsAt: '2026-04-10T16:00:00.000Z',
};

const common = { subject: 'bookingId', audience: AUDIENCE, webhook: 'BUSINESS' } as const;
const priced = () => ({ ...booking(), price: amount('What the booking costs.'), currency: currency() });
const EXAMPLE_PRICED = { ...EXAMPLE_BOOKING, price: 240, currency: EXAMPLE.currency };

const created = defineEvent({
  ...common,
  event: 'space_booking.created',
  description: 'A booking is created.',
  fields: {
    ...priced(),
    approvalRequired: Type.Boolean({ description: 'Whether the host has to approve it.' }),
  },
  example: { ...EXAMPLE_PRICED, approvalRequired: false },
});

const consentRequired = defineEvent({
  ...common,
  event: 'space_booking.consent_required',
  description: 'The booking needs a consent before it can go on.',
  fields: {
    ...booking(),
    consent: text(500, 'What has to be consented to.'),
    consentDueAt: Type.Optional(instant('Until when.')),
  },
  example: { ...EXAMPLE_BOOKING, consent: 'House rules of the atelier', consentDueAt: '2026-04-01T00:00:00.000Z' },
});

const consented = defineEvent({
  ...common,
  event: 'space_booking.consented',
  description: 'The consent is given.',
  fields: { ...booking(), consent: text(500, 'What was consented to.') },
  example: { ...EXAMPLE_BOOKING, consent: 'House rules of the atelier' },
});

const paid = defineEvent({
  ...common,
  event: 'space_booking.paid',
  description: 'Payment is taken.',
  fields: { ...booking(), amount: amount('What was paid.'), currency: currency() },
  example: { ...EXAMPLE_BOOKING, amount: 240, currency: EXAMPLE.currency },
});

/** Contract: `HOST_DECLINED` is how a host's decline is told (interface.md §6.2 has no event of its own for it). */
export const BOOKING_CANCELLED_REASONS = [
  'GUEST_CANCELLED',
  'HOST_CANCELLED',
  'HOST_DECLINED',
  'CONSENT_REFUSED',
  'PAYMENT_FAILED',
  'TIMEOUT',
  'OPERATOR_CANCELLED',
] as const;

const cancelled = defineEvent({
  ...common,
  event: 'space_booking.cancelled',
  description: 'The booking is cancelled, or the host declines it (reason `HOST_DECLINED`).',
  fields: {
    ...booking(),
    reason: oneOf(BOOKING_CANCELLED_REASONS, 'Why.'),
    note: Type.Optional(text(500, 'The reason in the words of who cancelled.')),
  },
  example: { ...EXAMPLE_BOOKING, reason: 'HOST_DECLINED', note: 'The heating is being repaired that week.' },
});

const noShow = defineEvent({
  ...common,
  event: 'space_booking.no_show',
  description: 'The guest did not appear.',
  fields: booking(),
  example: EXAMPLE_BOOKING,
});

const approvalRequested = defineEvent({
  ...common,
  event: 'space_booking.approval_requested',
  description: 'A booking that needs host approval is created; no payment has been taken yet.',
  fields: { ...priced(), approvalDueAt: Type.Optional(instant('Until when the host can approve.')) },
  example: { ...EXAMPLE_PRICED, approvalDueAt: '2026-04-02T08:00:00.000Z' },
});

const approved = defineEvent({
  ...common,
  event: 'space_booking.approved',
  description: 'The host clears the booking.',
  fields: booking(),
  example: EXAMPLE_BOOKING,
});

const completed = defineEvent({
  ...common,
  event: 'space_booking.completed',
  description: 'The booked time is over and the booking is completed.',
  fields: booking(),
  example: EXAMPLE_BOOKING,
});

export const SPACE_BOOKING_EVENTS = {
  'space_booking.created': created,
  'space_booking.consent_required': consentRequired,
  'space_booking.consented': consented,
  'space_booking.paid': paid,
  'space_booking.cancelled': cancelled,
  'space_booking.no_show': noShow,
  'space_booking.approval_requested': approvalRequested,
  'space_booking.approved': approved,
  'space_booking.completed': completed,
};
