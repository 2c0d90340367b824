import { Badge, Button, Checkbox, Group, Paper, Text } from '@mantine/core';
import { TextLink } from '../ui/links.tsx';
import { Eye, EyeOff, Flag } from '../ui/icons.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';
import classes from './comment-card.module.css';
import { CommentContext } from './comment-context.tsx';
import { cardId } from './use-decide.ts';
import type { ManagedComment, Queue } from './use-queue.ts';

interface CommentCardProps {
  comment: ManagedComment;
  queue: Queue;
}

/** A comment with what a decision needs: who, where, why it is held, how often it was reported. */
export function CommentCard({ comment, queue }: CommentCardProps) {
  const { id, status, author, post } = comment;
  const isOpen = queue.openId === id;
  const isCurrent = queue.currentId === id;
  return (
    <Paper
      component="li"
      id={cardId(id)}
      // For the focus after a decision, whose button may be gone.
      tabIndex={-1}
      withBorder
      p="sm"
      className={classes.card}
      mod={{ current: isCurrent, hidden: status === 'HIDDEN' }}
      aria-current={isCurrent || undefined}
    >
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Checkbox
          aria-label={`Choose the comment of ${author.name}`}
          checked={queue.chosen.has(id)}
          onChange={() => queue.toggle(id)}
          mt={2}
        />
        <div className={classes.content}>
          <Group gap={6}>
            <Text size="sm" fw={600}>
              {author.name}
            </Text>
            <Text size="xs" c="dimmed">
              <RelativeTime at={comment.createdAt} /> on{' '}
              <TextLink to="/comments" search={{ postId: post.id }} size="xs" underline="always">
                <bdi>{post.title ?? 'Untitled'}</bdi>
              </TextLink>
            </Text>
            <Marks comment={comment} />
          </Group>
          <Text size="sm" className={classes.body} dir="auto">
            {comment.body}
          </Text>
          <Group gap="xs" mt={6}>
            <Decide comment={comment} queue={queue} />
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-expanded={isOpen}
              onClick={() => {
                queue.setCurrent(id);
                queue.toggleContext(id);
              }}
            >
              {isOpen ? 'Less' : 'Context'}
            </Button>
          </Group>
          {isOpen && <CommentContext comment={comment} />}
        </div>
      </Group>
    </Paper>
  );
}

function Marks({ comment: { status, heldReason, reportCount } }: { comment: ManagedComment }) {
  return (
    <>
      {status === 'HIDDEN' && (
        <Badge size="sm" color="gray" variant="light" tt="none">
          hidden
        </Badge>
      )}
      {heldReason !== null && (
        <Badge size="sm" color="orange" variant="light" tt="none" className={classes.reason}>
          held: {heldReason}
        </Badge>
      )}
      {reportCount > 0 && (
        <Badge size="sm" color="red" variant="light" tt="none" leftSection={<Flag size={11} aria-hidden />}>
          {reportCount === 1 ? '1 report' : `${reportCount} reports`}
        </Badge>
      )}
    </>
  );
}

/** Both where a report or a rule waits for a decision; else what the comment is not. */
function Decide({ comment: { id, status, reportCount, heldReason }, queue }: CommentCardProps) {
  const isOpenCase = reportCount > 0 || heldReason !== null;
  return (
    <>
      {(status === 'VISIBLE' || isOpenCase) && (
        <SteadyButton
          size="compact-xs"
          variant="default"
          leftSection={<EyeOff size={13} aria-hidden />}
          isOff={queue.isDeciding}
          onClick={() => queue.decide({ ids: [id], status: 'HIDDEN' })}
        >
          {status === 'HIDDEN' ? 'Keep hidden' : 'Hide'}
        </SteadyButton>
      )}
      {(status === 'HIDDEN' || isOpenCase) && (
        <SteadyButton
          size="compact-xs"
          variant="default"
          leftSection={<Eye size={13} aria-hidden />}
          isOff={queue.isDeciding}
          onClick={() => queue.decide({ ids: [id], status: 'VISIBLE' })}
        >
          {status === 'VISIBLE' ? 'Keep visible' : 'Show'}
        </SteadyButton>
      )}
    </>
  );
}
