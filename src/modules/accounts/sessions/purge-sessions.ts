import type { Loop } from '../../../platform/loop/loop.ts';
import type { AccountsPlatform } from '../platform.ts';
import { deleteExpiredSessions } from './store.ts';

const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes a few milliseconds. */
const PORTION = 5000;
/**
 * For so long after its end the row of a session stays: a node lets a token of the identity provider in for some seconds longer, and one whose clock is
 * behind for longer still. Milliseconds.
 */
const KEPT_MS = 86_400_000;

/**
 * Removes sessions that ended a day ago by this node's clock and by the database's. Before that, the row of a session of the
 * identity provider that was signed out of would go while its token is still taken, which then would be let in again.
 */
export const purgeSessions = ({ db, leastTime }: Pick<AccountsPlatform, 'db' | 'leastTime'>): Loop => ({
  name: 'accounts.purge-sessions',
  everyMs: EVERY_MS,
  async step() {
    return (await deleteExpiredSessions(db, new Date((await leastTime()) - KEPT_MS), PORTION)) === PORTION;
  },
});
