import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { text } from '../lib/search.ts';
import { rootRoute } from './root-route.tsx';

interface SignInSearch {
  /** Where to go afterwards: an address of this dashboard. */
  to?: string;
}

/** A path of this application, never another host: `//evil.example` would be one. */
const ownPath = (to: string | undefined): string | undefined => (to && /^\/(?![/\\])/.test(to) ? to : undefined);

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => ({ to: ownPath(text(search.to)) }),
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
