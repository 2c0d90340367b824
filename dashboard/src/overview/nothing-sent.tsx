import { useQuery } from '@tanstack/react-query';
import { endpointsQuery, KINDS, kindOfAccount } from '../account/kinds.ts';
import { useScope } from '../account/scope.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/links.tsx';
import { OnItsWay } from '../ui/on-its-way.tsx';

/** Of a time without deliveries: what to do, which is another thing where nothing can be sent to anybody yet. */
export function NothingSent() {
  const { path, accountId, account } = useScope();
  const kind = kindOfAccount(account);
  const { all, noun } = KINDS[kind];
  const { data, isPending } = useQuery(endpointsQuery(kind, accountId));
  if (isPending) return <OnItsWay height={200} />;
  const lacksOne = accountId !== undefined && data?.total === 0;
  return (
    <EmptyState
      title={lacksOne ? `No ${noun} yet` : 'No deliveries in this time'}
      text={
        lacksOne
          ? 'Create one: every event that concerns the account is sent there, and how that fares is told here.'
          : `Send a test event to one of the ${noun}s, or choose a longer time.`
      }
      action={
        <LinkButton to={all} params={{ accountId: path }} variant="default">
          {lacksOne ? `Create the first ${noun}` : `To the ${noun}s`}
        </LinkButton>
      }
    />
  );
}
