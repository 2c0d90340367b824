import { createRoute, Outlet } from '@tanstack/react-router';
import { shellRoute } from './shell-route.ts';

/** Pages of one account: which one stands in the address, so that a link to a page shows the same to a colleague. */
export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'a/$accountId',
  component: Outlet,
});
