import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/shell-route.ts';
import { accountSearch, pageSearch, userSearch } from '../operators/operator-search.ts';
import { allChangesSearch } from '../changes/change-search.ts';
import { allKeysSearch } from '../keys/key-search.ts';

const getParentRoute = () => shellRoute;

/** Pages for operators; the service refuses everybody else. */
export const operatorRoutes = [
  createRoute({
    getParentRoute,
    path: 'operators/accounts',
    validateSearch: accountSearch,
    component: lazyRouteComponent(() => import('../operators/accounts-page.tsx'), 'AccountsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/accounts/$id',
    validateSearch: pageSearch,
    component: lazyRouteComponent(() => import('../operators/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/users',
    validateSearch: userSearch,
    component: lazyRouteComponent(() => import('../operators/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/users/$id',
    component: lazyRouteComponent(() => import('../operators/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/keys',
    validateSearch: allKeysSearch,
    component: lazyRouteComponent(() => import('../keys/all-keys-page.tsx'), 'AllKeysPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/changes',
    validateSearch: allChangesSearch,
    component: lazyRouteComponent(() => import('../changes/pages.tsx'), 'AllChangesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/readers',
    component: lazyRouteComponent(() => import('../operators/readers-page.tsx'), 'ReadersPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/readers/$name',
    component: lazyRouteComponent(() => import('../operators/failures-page.tsx'), 'FailuresPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'operators/system',
    component: lazyRouteComponent(() => import('../operators/system-page.tsx'), 'SystemPage'),
  }),
] as const;
