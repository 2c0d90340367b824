import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../shell/shell-route.ts';

export const passwordRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'password',
  component: lazyRouteComponent(() => import('./password-page.tsx'), 'PasswordPage'),
});
