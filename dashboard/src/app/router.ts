import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { moderationRoutes } from '../moderation/routes.ts';
import { notificationsRoute } from '../notifications/routes.ts';
import { passwordRoute } from '../password/routes.ts';
import { postRoutes } from '../posts/routes.ts';
import { accountRoute } from '../shell/account-route.tsx';
import { homeRoute } from '../shell/home-route.tsx';
import { rootRoute } from '../shell/root-route.tsx';
import { shellRoute } from '../shell/shell-route.ts';
import { signInRoute } from '../shell/sign-in-route.ts';
import { Waiting } from '../ui/waiting.tsx';
import { accountRoutes } from './account-routes.ts';
import { operatorRoutes } from './operator-routes.ts';

/** The table of contents of the dashboard. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    homeRoute,
    ...postRoutes,
    ...moderationRoutes,
    ...operatorRoutes,
    notificationsRoute,
    passwordRoute,
    accountRoute.addChildren([...accountRoutes]),
  ]),
]);

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: Waiting,
    defaultPendingMs: 400,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}
