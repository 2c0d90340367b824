import type { Loop } from '../../../platform/loop/loop.ts';
import type { AccountsPlatform } from '../platform.ts';
import { deleteExpiredSessions } from './store.ts';

const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes a few milliseconds. */
const PORTION = 5000;

/** Removes expired sessions. */
export const purgeSessions = ({ db, clock }: Pick<AccountsPlatform, 'db' | 'clock'>): Loop => ({
  name: 'accounts.purge-sessions',
  everyMs: EVERY_MS,
  step: async () => (await deleteExpiredSessions(db, new Date(clock.now()), PORTION)) === PORTION,
});
