import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { TextLink } from '../ui/links.tsx';

/** The name of an account, for operators; its id until it is known. */
export function AccountName({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['accounts', id],
    queryFn: ({ signal }) => posthorn.getAccount({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <TextLink to="/operators/accounts/$id" params={{ id }} underline="always">
      {data?.name ?? id}
    </TextLink>
  );
}
