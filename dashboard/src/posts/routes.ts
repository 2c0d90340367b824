import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, pageNumber, text, whole } from '../lib/search.ts';
import { shellRoute } from '../shell/shell-route.ts';

export const STATUSES = ['DRAFT', 'SCHEDULED', 'PUBLISHED', 'ARCHIVED'] as const;
export const SORTS = ['changed', 'published', 'most_viewed', 'most_liked', 'most_commented'] as const;

export interface PostListSearch {
  status?: (typeof STATUSES)[number];
  /** `changed` stands in no address. */
  sort?: (typeof SORTS)[number];
  q?: string;
  page?: number;
}

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'posts',
  validateSearch: (search: Record<string, unknown>): PostListSearch => ({
    status: oneOf(search.status, ...STATUSES),
    sort: oneOf(search.sort, ...SORTS.slice(1)),
    q: text(search.q),
    page: pageNumber(search.page),
  }),
  component: lazyRouteComponent(() => import('./posts-page.tsx'), 'PostsPage'),
});

export interface EditorSearch {
  tab?: 'details';
  view?: 'write' | 'split' | 'preview';
}

const editorRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'posts/$postId',
  validateSearch: (search: Record<string, unknown>): EditorSearch => ({
    tab: oneOf(search.tab, 'details'),
    view: oneOf(search.view, 'write', 'split', 'preview'),
  }),
  component: lazyRouteComponent(() => import('./editor-page.tsx'), 'EditorPage'),
});

export interface HistorySearch {
  /** The revision that is looked at: its number. */
  number?: number;
  page?: number;
}

const historyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'posts/$postId/history',
  validateSearch: (search: Record<string, unknown>): HistorySearch => ({
    number: whole(search.number),
    page: pageNumber(search.page),
  }),
  component: lazyRouteComponent(() => import('./history-page.tsx'), 'HistoryPage'),
});

export const postRoutes = [listRoute, editorRoute, historyRoute] as const;
