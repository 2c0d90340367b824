import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { useMe } from '../api/session.ts';
import { TextLink } from '../ui/links.tsx';
import { ALL, useScope } from './scope.ts';

/** Those that are read at once: each row of a list asks for a name. */
const MOST = 100;
const SELDOM_MS = 60_000;

/** The name of an account, for operators; undefined until it is known. One that is not among the first of all is asked for by itself. */
function useAccountName(id: string): string | undefined {
  const firsts = useQuery({
    queryKey: ['accounts', 'names'],
    queryFn: ({ signal }) => posthorn.listAccounts({ limit: MOST }, { signal }),
    staleTime: SELDOM_MS,
  });
  const found = firsts.data?.data.find((account) => account.id === id);
  const alone = useQuery({
    queryKey: ['accounts', id],
    queryFn: ({ signal }) => posthorn.getAccount({ id }, { signal }),
    enabled: !firsts.isPending && found === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (found ?? alone.data)?.name;
}

/** The name of an account, for operators; its id until it is known. */
export function AccountName({ id }: { id: string }) {
  return (
    <TextLink to="/operators/accounts/$id" params={{ id }} underline="always" style={{ overflowWrap: 'anywhere' }}>
      {useAccountName(id) ?? id}
    </TextLink>
  );
}

/** Whose a row is, in a list of all accounts; nothing in that of one. */
export function OfAccount({ id }: { id: string }) {
  const { path } = useScope();
  const { user } = useMe();
  if (path !== ALL || !user.operator) return null;
  return (
    <Text size="xs" c="dimmed" component="div">
      of <AccountName id={id} />
    </Text>
  );
}
