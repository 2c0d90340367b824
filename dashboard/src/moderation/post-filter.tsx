import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { FilterPill } from '../ui/filter-pill.tsx';

/** The one post that the list is narrowed to, and the way out. */
export function PostFilter({ postId, onRemove }: { postId: string; onRemove: () => void }) {
  const { data } = useQuery({
    queryKey: ['post-title', postId],
    queryFn: ({ signal }) => posthorn.getManagedPost({ id: postId }, { signal }),
    select: (post) => post.title,
  });
  return <FilterPill text={`Only on “${data ?? '…'}”`} clear="Comments of all posts" onRemove={onRemove} />;
}
