import { Pill } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';

/** The one post that the list is narrowed to, and the way out. */
export function PostFilter({ postId, onRemove }: { postId: string; onRemove: () => void }) {
  const { data } = useQuery({
    queryKey: ['post-title', postId],
    queryFn: ({ signal }) => posthorn.getManagedPost({ id: postId }, { signal }),
    select: (post) => post.title,
  });
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': 'Comments of all posts', tabIndex: 0, 'aria-hidden': undefined }}
    >
      Only on “{data ?? '…'}”
    </Pill>
  );
}
