import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { flag } from '../lib/search.ts';
import { shellRoute } from '../shell/shell-route.ts';

export const notificationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'notifications',
  validateSearch: (search: Record<string, unknown>): { unread?: true } => ({ unread: flag(search['unread']) }),
  component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});
