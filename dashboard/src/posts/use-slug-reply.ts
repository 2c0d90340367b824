import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';

/** Typing rests this long before the service is asked. Milliseconds. */
const REST_MS = 300;

/** What the service says about the slug of a post while it is written; where it is empty, about the one that the title gives. */
export function useSlugReply(postId: string, slug: string, title: string) {
  const [asked] = useDebouncedValue(slug.trim() === '' ? { title: title.trim() } : { slug: slug.trim() }, REST_MS);
  const isAsked = Object.values(asked).some((text) => text !== undefined && text !== '');
  const { data } = useQuery({
    queryKey: ['slug', postId, asked],
    queryFn: ({ signal }) => posthorn.suggestSlug({ ...asked, postId }, { signal }),
    placeholderData: keepPreviousData,
    enabled: isAsked,
  });
  return data;
}
