import { KINDS, kindOfAccount } from '../account/kinds.ts';
import { useScope } from '../account/scope.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/links.tsx';

/** Of a time without deliveries: what to do. */
export function NothingSent() {
  const { path, account } = useScope();
  const { all, noun } = KINDS[kindOfAccount(account)];
  return (
    <EmptyState
      title="No deliveries in this time"
      text={`Send a test event to one of the ${noun}s, or choose a longer time.`}
      action={
        <LinkButton to={all} params={{ accountId: path }} variant="default">
          To the {noun}s
        </LinkButton>
      }
    />
  );
}
