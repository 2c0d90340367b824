import { Badge, Code, Grid, Group, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { isFailure } from '../api/error-text.ts';
import { notifyDone, notifyError, notifyFault } from '../api/notices.tsx';
import { plural } from '../lib/format.ts';
import { confirm } from '../ui/confirm.tsx';
import { DiffLines } from '../ui/diff-lines.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';
import { ArrowLeft } from '../ui/icons.ts';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { Pages } from '../ui/paged-list.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';
import { FIELD_NAMES } from './fields.ts';
import classes from './history-page.module.css';

const route = getRouteApi('/shell/posts/$postId/history');

type Revision = Operations['listRevisions']['item'];

/** What a post was: who saved what, how it differs from the present, and the way back to it. */
export function HistoryPage() {
  const { postId } = route.useParams();
  const { number, page } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({
    queryKey: ['revisions', postId, page],
    queryFn: ({ signal }) => posthorn.listRevisions({ id: postId, page }, { signal }),
    placeholderData: keepPreviousData,
  });
  const chosen = number ?? list.data?.data[0]?.number;
  const above = (
    <TextLink to="/posts/$postId" params={{ postId }} size="sm">
      <Group gap={4} component="span">
        <ArrowLeft size={15} aria-hidden /> Back to the post
      </Group>
    </TextLink>
  );
  return (
    <Page
      title="History"
      text="What the post was before, the last 50 times. Each is compared with what it is now."
      above={above}
    >
      {list.isError && <Failure error={list.error} what="post" onRetry={() => void list.refetch()} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="xs">
            {list.isPending && <Skeleton height={160} />}
            <ul className={classes.list}>
              {list.data?.data.map((revision) => (
                <li key={revision.number}>
                  <RevisionButton
                    revision={revision}
                    isChosen={revision.number === chosen}
                    onChoose={() => void navigate({ search: (s) => ({ ...s, number: revision.number }) })}
                  />
                </li>
              ))}
            </ul>
            {list.data && list.data.total > 0 && (
              <Pages
                {...list.data}
                onPage={(next) => void navigate({ search: { page: next === 1 ? undefined : next } })}
              />
            )}
          </Stack>
        </Grid.Col>
        {list.data?.total === 0 && (
          <Grid.Col>
            <EmptyState title="Nothing has changed yet" text="Each later change leaves what was before it here." />
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, md: 8 }}>
          {chosen !== undefined && <Comparison postId={postId} number={chosen} />}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

interface RevisionButtonProps {
  revision: Revision;
  isChosen: boolean;
  onChoose: () => void;
}

function RevisionButton({ revision, isChosen, onChoose }: RevisionButtonProps) {
  return (
    <UnstyledButton className={classes.revision} aria-pressed={isChosen} onClick={onChoose}>
      <Group gap={6}>
        <Text size="sm" fw={600}>
          <RelativeTime at={revision.savedAt} />
        </Text>
        {revision.wasPublic && (
          <Badge size="xs" color="green" variant="light">
            was public
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        <bdi>{revision.savedBy.name}</bdi>, {plural(revision.words, 'word')}
        {revision.autosaved ? ', saved by itself' : ''}
      </Text>
    </UnstyledButton>
  );
}

function Comparison({ postId, number }: { postId: string; number: number }) {
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ['revisions', postId, 'diff', number],
    queryFn: ({ signal }) => posthorn.diffRevision({ id: postId, number }, { signal }),
  });
  /** Shows what the post is now beside this version, also where that was only the latest one until then. */
  const compareAnew = async (): Promise<void> => {
    await navigate({ search: (s) => ({ ...s, number }), replace: true });
    await queryClient.invalidateQueries({ queryKey: ['revisions', postId] });
    notifyFault(
      'It was changed meanwhile',
      'Nothing was restored. The version is compared with what the post is now: look at it, then restore again.',
    );
  };
  const restore = useMutation({
    meta: { silent: true },
    async onError(error) {
      if (isFailure(error, 'PRECONDITION_FAILED')) await compareAnew();
      else if (!isFailure(error, 'UNAUTHENTICATED')) notifyError(error);
    },
    mutationFn: (version: number) => posthorn.restoreRevision({ id: postId, number, ifMatch: version }),
    async onSuccess() {
      notifyDone('The post is as it was then. What it was before stays in this history.');
      await queryClient.invalidateQueries({ queryKey: ['posts'] });
      await queryClient.invalidateQueries({ queryKey: ['revisions', postId] });
      await navigate({ to: '/posts/$postId', params: { postId }, search: {} });
    },
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  const isSame = data.fields.length === 0 && data.body.hunks.length === 0;
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Restore this version?',
      text: 'The post gets the content that it had then, for readers too if it is public. The present one stays in the history.',
      action: 'Restore',
      destructive: false,
    });
    if (isSure) restore.mutate(data.to.version);
  };
  if (isSame)
    return <EmptyState title="This is the present content" text="Choose another version to see what changed since." />;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>What changed since then</Title>
        <SteadyButton isOff={restore.isPending} onClick={() => void ask()}>
          Restore this version …
        </SteadyButton>
      </Group>
      {data.fields.map(({ field, from, to }) => (
        <Text key={field} size="sm" component="div">
          {FIELD_NAMES[field as keyof typeof FIELD_NAMES] ?? field}: <Code>{shown(from)}</Code> →{' '}
          <Code>{shown(to)}</Code>
        </Text>
      ))}
      {data.body.hunks.length > 0 && (
        <>
          <Text size="sm" c="dimmed">
            Text: {data.body.added} {data.body.added === 1 ? 'line' : 'lines'} added, {data.body.removed} removed since
          </Text>
          <DiffLines label="Differences of the text" hunks={data.body.hunks} />
        </>
      )}
    </Stack>
  );
}

const shown = (value: string | boolean | string[] | null): string =>
  Array.isArray(value) ? value.join(', ') || '–' : value === null || value === '' ? '–' : String(value);
