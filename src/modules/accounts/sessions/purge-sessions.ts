import type { Loop } from '../../../platform/loop/loop.ts';
import type { AccountsPlatform } from '../platform.ts';
import { deleteExpiredSessions } from './store.ts';

const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes a few milliseconds. */
const PORTION = 5000;

/**
 * Removes expired sessions: what is over by this node's clock and by the database's. By a clock that is ahead, the row of a session of the
 * identity provider that was signed out of would go while its token is valid, which then would be let in again.
 */
export const purgeSessions = ({ db, leastTime }: Pick<AccountsPlatform, 'db' | 'leastTime'>): Loop => ({
  name: 'accounts.purge-sessions',
  everyMs: EVERY_MS,
  async step() {
    return (await deleteExpiredSessions(db, new Date(await leastTime()), PORTION)) === PORTION;
  },
});
