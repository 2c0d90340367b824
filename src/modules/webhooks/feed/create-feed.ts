import type { Caller } from '../../../contracts/caller.ts';
import type { AnyRoute } from '../../../platform/http/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Accounts } from '../../accounts/index.ts';
import type { Events } from '../../events/index.ts';
import { createFeedLoop } from './feed-loop.ts';
import { feedRoutes } from './routes.ts';
import { Seats } from './seats.ts';

export interface Feed {
  routes: AnyRoute[];
  loop: Loop;
  /** Callers that wait for news. */
  seats: Seats;
}

export interface FeedParts {
  visibleAccounts: (caller: Caller) => 'all' | readonly string[];
  events: Pick<Events, 'accountLog' | 'onAppended'>;
  accounts: Pick<Accounts, 'cachedSecretsOf' | 'loadSecretsOf'>;
  userAgent: string;
}

/** The feeds of all endpoints. */
export function createFeed({ db, clock }: Platform, parts: FeedParts): Feed {
  const { visibleAccounts, events, accounts, userAgent } = parts;
  const seats = new Seats();
  events.onAppended(() => seats.wake());
  const { loop, wake } = createFeedLoop({ db, clock });
  const deps = {
    visibleAccounts,
    log: events.accountLog,
    seats,
    async secretsOf(accountId: string) {
      await accounts.loadSecretsOf([accountId]);
      return accounts.cachedSecretsOf(accountId) ?? [];
    },
    userAgent,
    clock,
    wakeFeed: wake,
  };
  return { routes: [...feedRoutes(deps, 'MERCHANT'), ...feedRoutes(deps, 'BUSINESS')], loop, seats };
}
