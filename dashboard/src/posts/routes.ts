import type { Operations } from '@posthorn/client';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, pageNumber, text, whole, wordsOf } from '../lib/search.ts';
import { shellRoute } from '../shell/shell-route.ts';

type Query = NonNullable<Operations['listManagedPosts']['input']>;
type Status = NonNullable<Query['status']>;
type Sort = NonNullable<Query['sort']>;

export const STATUSES = wordsOf<Status>({ DRAFT: 1, SCHEDULED: 2, PUBLISHED: 3, ARCHIVED: 4 });
/** By which lists are sorted, as a person calls it. */
export const SORT_NAMES: Readonly<Record<Sort, string>> = {
  changed: 'Latest change',
  published: 'Publication',
  most_viewed: 'Views',
  most_liked: 'Likes',
  most_commented: 'Comments',
};
export const SORTS = wordsOf<Sort>(SORT_NAMES);

export interface PostListSearch {
  status?: Status;
  /** `changed` stands in no address. */
  sort?: Sort;
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
