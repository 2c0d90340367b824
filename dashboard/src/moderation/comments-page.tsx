import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { keepWithin } from '../lib/keep-within.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';
import { CircleHelp } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { Pages, PastTheEnd } from '../ui/paged-list.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { CommentCard } from './comment-card.tsx';
import classes from './comments-page.module.css';
import { KeyHelp } from './key-help.tsx';
import { PostFilter } from './post-filter.tsx';
import type { CommentListSearch } from './routes.ts';
import { useQueue } from './use-queue.ts';

const route = getRouteApi('/shell/comments');

const VIEWS = [
  { value: 'ALL', label: 'All' },
  { value: 'REPORTED', label: 'Reported' },
  { value: 'HIDDEN', label: 'Hidden' },
  { value: 'VISIBLE', label: 'Visible' },
] as const;

type View = (typeof VIEWS)[number]['value'];

const searchOf = (view: View): Pick<CommentListSearch, 'status' | 'reported'> =>
  view === 'REPORTED'
    ? { reported: true, status: undefined }
    : { reported: undefined, status: view === 'ALL' ? undefined : view };

/** Comments to decide on, one by one or many at once, by mouse or by keyboard. */
export function CommentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['comments', search.postId ?? null, search],
    queryFn: ({ signal }) => posthorn.listManagedComments(search, { signal }),
    placeholderData: keepWithin(search.postId ?? null),
  });
  const queue = useQueue(query.data?.data);
  const show = (change: CommentListSearch): void =>
    void navigate({ search: (old) => ({ ...old, page: undefined, ...change }) });
  const view: View = search.reported ? 'REPORTED' : (search.status ?? 'ALL');
  return (
    <Page
      title="Comments"
      text="What readers wrote on the posts that you manage."
      actions={
        <Button
          className={classes.keys}
          variant="default"
          leftSection={<CircleHelp size={16} aria-hidden />}
          onClick={queue.help.open}
        >
          Keys
        </Button>
      }
    >
      <Group>
        <SegmentedControl
          aria-label="Which comments"
          data={[...VIEWS]}
          value={view}
          onChange={(value) => show(searchOf(value))}
        />
        {search.postId !== undefined && (
          <PostFilter postId={search.postId} onRemove={() => show({ postId: undefined })} />
        )}
      </Group>
      <BulkBar queue={queue} />
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Waiting />}
      {query.data?.total === 0 && <NoComments view={view} />}
      {query.data && query.data.total > 0 && query.data.data.length === 0 && <PastTheEnd onFirst={() => show({})} />}
      <Stack gap="xs" component="ul" p={0} m={0}>
        {query.data?.data.map((comment) => (
          <CommentCard key={comment.id} comment={comment} queue={queue} />
        ))}
      </Stack>
      {query.data && query.data.total > 0 && (
        <Pages {...query.data} onPage={(page) => show({ page: page === 1 ? undefined : page })} />
      )}
      <KeyHelp opened={queue.help.isOpen} onClose={queue.help.close} />
    </Page>
  );
}

function Waiting() {
  return (
    <Stack gap="xs" aria-busy>
      <Skeleton height={90} />
      <Skeleton height={90} />
      <Skeleton height={90} />
    </Stack>
  );
}

const EMPTY: Readonly<Record<View, string>> = {
  ALL: 'Nobody has commented yet',
  REPORTED: 'No report waits for a decision',
  HIDDEN: 'No comment is hidden',
  VISIBLE: 'No comment is visible',
};

function NoComments({ view }: { view: View }) {
  return (
    <EmptyState
      title={EMPTY[view]}
      text={view === 'REPORTED' ? <Text span>Reports of readers appear here, newest first.</Text> : undefined}
    />
  );
}
