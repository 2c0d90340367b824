import type { AnyRoute } from '../../platform/http/index.ts';
import type { KeyDeps } from './keys/issue-key.ts';
import { accountKeyRoutes } from './keys/account-routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { AccountsPlatform } from './platform.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { setupRoutes } from './setup/routes.ts';
import { accountRoutes } from './tenants/routes.ts';
import { userRoutes } from './users/routes.ts';

export const accountsRoutes = (platform: AccountsPlatform, keys: KeyDeps): AnyRoute[] => [
  ...sessionRoutes(platform),
  ...setupRoutes(platform),
  ...accountRoutes,
  ...userRoutes(platform),
  ...keyRoutes(keys),
  ...accountKeyRoutes(keys),
];
