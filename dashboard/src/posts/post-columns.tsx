import { Stack, Text } from '@mantine/core';
import type { ManagedPostSummary } from '@posthorn/client';
import { Fragment } from 'react';
import type { Column } from '../ui/data-table.tsx';
import { TextLink } from '../ui/links.tsx';
import { RelativeTime, useNow } from '../ui/relative-time.tsx';
import { statusAt } from './live-status.ts';
import { StatusBadge } from './status-badge.tsx';

const number = new Intl.NumberFormat('en');

function Title({ post }: { post: ManagedPostSummary }) {
  return (
    <>
      <TextLink to="/posts/$postId" params={{ postId: post.id }} fw={600} c="var(--mantine-color-text)">
        <bdi>{post.title ?? 'Untitled'}</bdi>
      </TextLink>
      <Text size="xs" c="dimmed" lineClamp={1}>
        <Parts of={[post.featured ? 'Featured' : '', post.category ?? '', post.excerpt]} />
      </Text>
    </>
  );
}

/** Those that there are, each in its own direction. */
function Parts({ of }: { of: string[] }) {
  const parts = of.filter(Boolean);
  return parts.length === 0
    ? ' '
    : parts.map((part, i) => (
        <Fragment key={`${i} ${part}`}>
          {i > 0 && ' · '}
          <bdi>{part}</bdi>
        </Fragment>
      ));
}

function Status({ post }: { post: ManagedPostSummary }) {
  const status = statusAt(post, useNow());
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge status={status} />
      {(status === 'SCHEDULED' || status === 'PUBLISHED') && (
        <Text size="xs" c="dimmed">
          <RelativeTime at={post.publishedAt} />
        </Text>
      )}
    </Stack>
  );
}

const count = (header: string, key: 'viewCount' | 'likeCount' | 'commentCount'): Column<ManagedPostSummary> => ({
  header,
  align: 'right',
  cell: (post) => number.format(post[key]),
});

/** Editors see whose post it is; authors see their own only. */
export const columnsFor = (isEditor: boolean): Column<ManagedPostSummary>[] => [
  { header: 'Title', grow: true, cell: (post) => <Title post={post} /> },
  { header: 'Status', cell: (post) => <Status post={post} /> },
  ...(isEditor ? [{ header: 'Author', cell: (post: ManagedPostSummary) => post.author.name }] : []),
  count('Views', 'viewCount'),
  count('Likes', 'likeCount'),
  count('Comments', 'commentCount'),
  { header: 'Changed', cell: (post) => <RelativeTime at={post.changedAt} /> },
];
