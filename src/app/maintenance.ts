import { purgeIdempotencyKeys } from '../platform/http/index.ts';
import type { Module, Platform } from '../platform/platform.ts';

const PURGE_EVERY_MS = 10 * 60 * 1000;

/** Background work of the platform itself. */
export const createMaintenance = ({ db, clock }: Platform): Module => ({
  name: 'maintenance',
  routes: [],
  loops: [
    {
      name: 'purge-idempotency-keys',
      everyMs: PURGE_EVERY_MS,
      step: () => purgeIdempotencyKeys(db, new Date(clock.now())),
    },
  ],
});
