import type { DerivedWebhook, EventName } from './catalogue.ts';

/** All of them, or this has another type. Apart from the catalogue: a thread that only sends would load all schemas for it. */
const DERIVED: Readonly<Record<DerivedWebhook, true>> = {
  'trade.counterparty_hold_started': true,
  'trade.closed_unreciprocated': true,
  'reservation.failed': true,
};

/** Whether a webhook has no internal event of its name, and is made from another one (interface.md §6.1). */
export const isDerived = (name: EventName): name is DerivedWebhook => Object.hasOwn(DERIVED, name);
