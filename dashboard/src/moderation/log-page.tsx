import { Box, Group } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterPill } from '../ui/filter-pill.tsx';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

const route = getRouteApi('/shell/moderation-log');

type Entry = Operations['listModerationLog']['item'];

const COLUMNS: readonly Column<Entry>[] = [
  { header: 'When', cell: (entry) => <RelativeTime at={entry.createdAt} /> },
  { header: 'Decision', cell: (entry) => (entry.to === 'HIDDEN' ? 'Hidden' : 'Shown') },
  {
    header: 'By',
    cell: (entry) => entry.actor?.name ?? `Rule: ${entry.rule?.replaceAll('_', ' ') ?? 'of a removed user'}`,
  },
  { header: 'Reason', grow: true, cell: (entry) => entry.reason },
  { header: 'Author', cell: (entry) => entry.author?.name },
  {
    header: 'Post',
    cell: ({ post }) =>
      post ? (
        <Box miw={140} style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          <TextLink to="/comments" search={{ postId: post.id }}>
            <bdi>{post.title ?? 'Untitled'}</bdi>
          </TextLink>
        </Box>
      ) : (
        'Deleted'
      ),
  },
];

/** Who hid or showed which comment, when, and why. */
export function LogPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryKey = ['moderation-log', search];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      posthorn.listModerationLog({ ...search, cursor: pageParam, limit: 50 }, { signal }),
    ...byCursor,
  });
  return (
    <Page title="Moderation log" text="Every decision about a comment. Nothing is ever removed from it.">
      {search.commentId !== undefined && (
        <Group>
          <FilterPill
            text="Only about one comment"
            clear="All decisions"
            onRemove={() => void navigate({ search: {} })}
          />
        </Group>
      )}
      <CursorList
        label="Moderation log"
        columns={COLUMNS}
        query={query}
        queryKey={queryKey}
        rowKey={(entry) => entry.id}
        empty={<EmptyState title="Nothing decided yet" text="What moderators and rules decide will stand here." />}
      />
    </Page>
  );
}
