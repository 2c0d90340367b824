import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { Failure } from '../ui/failure.tsx';
import { TextLink } from '../ui/links.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import classes from './comment-card.module.css';
import type { ManagedComment } from './use-queue.ts';

const useComment = (id: string | null) =>
  useQuery({
    queryKey: ['comments', 'one', id],
    queryFn: ({ signal }) => posthorn.getManagedComment({ id: id ?? '' }, { signal }),
    enabled: id !== null,
  });

/** What a comment answers, who reported it and why, and where to read on. */
export function CommentContext({ comment: { id, parentId, post } }: { comment: ManagedComment }) {
  const full = useComment(id);
  const parent = useComment(parentId);
  if (full.isPending) return <Skeleton height={40} mt="xs" />;
  if (full.isError) return <Failure error={full.error} onRetry={() => void full.refetch()} />;
  return (
    <Stack gap="xs" mt="xs">
      {parent.data && (
        <div>
          <Text size="xs" c="dimmed">
            In reply to <bdi>{parent.data.author.name}</bdi>, <RelativeTime at={parent.data.createdAt} />
          </Text>
          <Text size="sm" className={classes.quote} dir="auto">
            {parent.data.body}
          </Text>
        </div>
      )}
      {parent.isError && (
        <Text size="xs" c="dimmed">
          It answers a comment that is gone.
        </Text>
      )}
      {full.data.reports.map((report) => (
        <Text key={`${report.reporter.id} ${report.createdAt}`} size="sm">
          {report.open ? 'Reported' : 'Reported, and decided,'} by <bdi>{report.reporter.name}</bdi>{' '}
          <RelativeTime at={report.createdAt} />: <bdi>{report.reason}</bdi>
        </Text>
      ))}
      <Group gap="md">
        <TextLink to="/posts/$postId" params={{ postId: post.id }} size="sm">
          Open the post
        </TextLink>
        <TextLink to="/moderation-log" search={{ commentId: id }} size="sm">
          Decisions about this comment
        </TextLink>
      </Group>
    </Stack>
  );
}
