import { Group, Select, Tabs, Text } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { useMe } from '../api/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Plus } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { newPost } from './new-post.ts';
import { columnsFor } from './post-columns.tsx';
import { renewalAfter } from './renewal.ts';
import { type PostListSearch, SORT_NAMES, SORTS, STATUSES } from './routes.ts';
import { STATUS_NAMES } from './status-badge.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const route = getRouteApi('/shell/posts');

type Counts = Operations['listManagedPosts']['reply']['counts'];

/** Posts by status, with search; a new one begins as a draft. */
export function PostsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { user } = useMe();
  const query = useQuery({
    queryKey: ['posts', search],
    queryFn: ({ signal }) => posthorn.listManagedPosts(search, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data ? renewalAfter(data.data, data.counts.SCHEDULED, serverNow()) : false,
  });
  const create = useMutation({
    mutationFn: () => newPost(user.id),
    async onSuccess({ id }) {
      await queryClient.invalidateQueries({ queryKey: ['posts'] });
      await navigate({ to: '/posts/$postId', params: { postId: id }, search: {} });
    },
  });
  const show = (change: PostListSearch, replace = false): void =>
    void navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace });
  const button = (
    <SteadyButton
      leftSection={<Plus size={16} aria-hidden />}
      isBusy={create.isPending}
      onClick={() => create.mutate()}
    >
      New post
    </SteadyButton>
  );
  return (
    <Page
      title="Posts"
      text={user.blogRole === 'EDITOR' ? 'Everything that anybody wrote.' : 'What you wrote.'}
      actions={button}
    >
      <StatusTabs status={search.status} counts={query.data?.counts} onStatus={(status) => show({ status })} />
      <Group gap="sm">
        <SearchBox label="Search posts" value={search.q} onSearch={(q) => show({ q }, true)} />
        <Select
          aria-label="Sort by"
          data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
          value={search.sort ?? 'changed'}
          allowDeselect={false}
          onChange={(sort) => show({ sort: sort === 'changed' ? undefined : (sort as PostListSearch['sort']) })}
        />
      </Group>
      <PagedList
        label="Posts"
        columns={columnsFor(user.blogRole === 'EDITOR')}
        query={query}
        rowKey={(post) => post.id}
        onPage={(page) => show({ page: page === 1 ? undefined : page })}
        empty={<NoPosts search={search} newPost={button} />}
      />
    </Page>
  );
}

interface StatusTabsProps {
  status: PostListSearch['status'];
  counts: Counts | undefined;
  onStatus: (status: PostListSearch['status']) => void;
}

const number = new Intl.NumberFormat('en');

function StatusTabs({ status, counts, onStatus }: StatusTabsProps) {
  const all = counts && STATUSES.reduce((sum, each) => sum + counts[each], 0);
  const count = (n: number | undefined) => (
    <Text span size="xs" c="dimmed">
      {n === undefined ? '' : number.format(n)}
    </Text>
  );
  return (
    <Tabs
      value={status ?? 'ALL'}
      onChange={(value) => onStatus(STATUSES.find((each) => each === value))}
      activateTabWithKeyboard={false}
    >
      <Tabs.List aria-label="Status">
        <Tabs.Tab value="ALL" rightSection={count(all)}>
          All
        </Tabs.Tab>
        {STATUSES.map((each) => (
          <Tabs.Tab key={each} value={each} rightSection={count(counts?.[each])}>
            {STATUS_NAMES[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

function NoPosts({ search, newPost }: { search: PostListSearch; newPost: React.ReactNode }) {
  if (search.q !== undefined) {
    return <EmptyState title="Nothing matches" text="Try fewer or other words, or look in all statuses." />;
  }
  if (search.status !== undefined) {
    return <EmptyState title={`No post is ${STATUS_NAMES[search.status].toLowerCase()}`} />;
  }
  return <EmptyState title="No posts yet" text="A new post is a draft until you publish it." action={newPost} />;
}
