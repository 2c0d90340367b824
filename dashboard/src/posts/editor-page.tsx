import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { Failure } from '../ui/failure.tsx';
import { PostEditor } from './post-editor.tsx';

const route = getRouteApi('/shell/posts/$postId');

/** A post, read anew each time it is opened: what stands in the form must be the latest version. */
export function EditorPage() {
  const { postId } = route.useParams();
  const { data, error, isFetchedAfterMount, refetch } = useQuery({
    queryKey: ['post', postId],
    queryFn: ({ signal }) => posthorn.getManagedPost({ id: postId }, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  // What is being written is not taken away when the post cannot be read again.
  if (error && !data) return <Failure error={error} what="post" onRetry={() => void refetch()} />;
  if (!data || !isFetchedAfterMount) {
    return (
      <Stack aria-busy>
        <Skeleton height={40} />
        <Skeleton height={320} />
      </Stack>
    );
  }
  return <PostEditor key={postId} initial={data} />;
}
