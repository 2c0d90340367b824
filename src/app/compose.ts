import { answeredWithin, isReachable } from '../platform/db/index.ts';
import { createHttpApp, type HttpApp } from '../platform/http/index.ts';
import { dashboard } from './dashboard.ts';
import type { Opened } from './deps.ts';
import { createModules, type Modules } from './modules.ts';
import { createDocs } from '../modules/docs/index.ts';
import { OPENAPI_TAGS } from './openapi-tags.ts';
import { openapiWebhooks } from './openapi-webhooks.ts';
import type { Role } from './role.ts';
import { VERSION } from './version.ts';
import type { SupervisorLink } from './cores/supervisor-link.ts';

export interface Composed {
  modules: Modules;
  http: HttpApp;
}

export interface ComposeOptions {
  role?: Role;
  random?: () => number;
  /** Of one of several processes: where they meet. */
  supervisor?: SupervisorLink;
}

/** The modules and the HTTP side over an open platform. Reads no table and listens nowhere. */
export async function compose(opened: Opened, options: ComposeOptions): Promise<Composed> {
  const { platform, policy, redis } = opened;
  const { supervisor } = options;
  const { config } = platform;
  const modules = createModules(platform, policy, options.random ? { random: options.random } : {});
  const docs = createDocs();
  // A worker serves nobody but those who look after it.
  const shown = options.role === 'worker' ? [docs.module] : [...modules.all, docs.module];
  const http = await createHttpApp(
    {
      ...platform,
      authenticate: (bearer) => modules.accounts.authenticate(bearer),
      knownCaller: (bearer) => modules.accounts.knownCaller(bearer),
      ...(redis ? { redis } : {}),
      ...(supervisor ? { countTogether: (limiter, who) => supervisor.count(limiter, who) } : {}),
    },
    {
      routes: options.role === 'worker' ? [] : modules.all.flatMap((m) => m.routes),
      sites: options.role === 'worker' ? [] : [await dashboard()],
      tags: OPENAPI_TAGS,
      webhooks: openapiWebhooks(),
      version: VERSION,
      pages: shown.flatMap((m) => m.pages ?? []),
      ...(config.POSTHORN_PUBLIC_URL ? { serverUrl: config.POSTHORN_PUBLIC_URL } : {}),
      ...(supervisor ? { scrape: () => supervisor.scrape() } : {}),
      isReady: answeredWithin(() => isReachable(platform.db)),
    },
  );
  return { modules, http };
}
