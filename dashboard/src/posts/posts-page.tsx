import { Badge, Group, Tabs, Text } from '@mantine/core';
import type { ManagedPostSummary } from '@posthorn/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import type { PostListSearch } from './routes.ts';

const route = getRouteApi('/shell/posts');

const COLUMNS: readonly Column<ManagedPostSummary>[] = [
  { header: 'Title', grow: true, cell: (post) => post.title ?? <Text c="dimmed">Untitled</Text> },
  { header: 'Status', cell: (post) => <Badge variant="light">{post.status.toLowerCase()}</Badge> },
  { header: 'Changed', cell: (post) => <RelativeTime at={post.updatedAt} /> },
];

export function PostsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['posts', search],
    queryFn: ({ signal }) => posthorn.listManagedPosts(search, { signal }),
    placeholderData: keepPreviousData,
  });
  const show = (change: PostListSearch): void => void navigate({ search: { ...search, page: undefined, ...change } });
  return (
    <Page title="Posts">
      <Group justify="space-between">
        <Tabs
          value={search.status ?? 'ALL'}
          onChange={(value) => show({ status: value === 'ALL' ? undefined : (value as PostListSearch['status']) })}
        >
          <Tabs.List>
            <Tabs.Tab value="ALL">All</Tabs.Tab>
          </Tabs.List>
        </Tabs>
        <SearchBox label="Search posts" value={search.q} onSearch={(q) => show({ q })} />
      </Group>
      <PagedList
        label="Posts"
        columns={COLUMNS}
        query={query}
        rowKey={(post) => post.id}
        onPage={(page) => show({ page })}
        empty={<EmptyState title="No posts" />}
      />
    </Page>
  );
}
