import { useQuery } from '@tanstack/react-query';
import { KINDS, kindOfAccount } from '../account/kinds.ts';
import { EndpointLink } from '../account/links.tsx';
import { useAddress } from '../account/use-endpoint-names.ts';
import { posthorn } from '../api/client.ts';
import { type Account, useMe } from '../api/session.ts';

/** The endpoint that a notification is about, with a link for whoever may look at it, and whose it is. */
export function ToldEndpoint({ id, accountId }: { id: string; accountId: string }) {
  const account = useAccountOf(accountId);
  return account === undefined ? `endpoint ${id}` : <Linked id={id} account={account} />;
}

function Linked({ id, account }: { id: string; account: Account }) {
  const kind = kindOfAccount(account);
  const url = useAddress(id, kind, account.id);
  return (
    <>
      <EndpointLink id={id} accountId={account.id} kind={kind}>
        {url ?? `${KINDS[kind].noun} ${id}`}
      </EndpointLink>{' '}
      of {account.name}
    </>
  );
}

/** Undefined: not known yet, or none of whoever is signed in. */
function useAccountOf(id: string): Account | undefined {
  const { accounts, user } = useMe();
  const mine = accounts.find((account) => account.id === id);
  const foreign = useQuery({
    queryKey: ['accounts', id],
    queryFn: ({ signal }) => posthorn.getAccount({ id }, { signal }),
    enabled: user.operator && mine === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return mine ?? foreign.data;
}
