import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isFailure } from '../api/error-text.ts';
import { meQuery } from '../api/session.ts';
import { PageFailure } from './failure-pages.tsx';
import { rootRoute } from './root-route.tsx';

/** The frame of every page of somebody signed in. Whoever is not is asked to sign in, and comes back. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  async beforeLoad({ context, location }) {
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!isFailure(error, 'UNAUTHENTICATED')) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
  errorComponent: PageFailure,
});
