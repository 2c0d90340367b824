import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, pageNumber, text } from '../lib/search.ts';
import { shellRoute } from '../shell/shell-route.ts';

export interface PostListSearch {
  status?: 'DRAFT' | 'SCHEDULED' | 'PUBLISHED' | 'ARCHIVED';
  q?: string;
  page?: number;
}

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'posts',
  validateSearch: (search: Record<string, unknown>): PostListSearch => ({
    status: oneOf(search.status, 'DRAFT', 'SCHEDULED', 'PUBLISHED', 'ARCHIVED'),
    q: text(search.q),
    page: pageNumber(search.page),
  }),
  component: lazyRouteComponent(() => import('./posts-page.tsx'), 'PostsPage'),
});

export const postRoutes = [listRoute] as const;
