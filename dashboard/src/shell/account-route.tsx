import { createRoute, Outlet } from '@tanstack/react-router';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { shellRoute } from './shell-route.ts';
import { useNoAccount } from './use-account.ts';

/** Its lists would be empty, as if nothing had happened yet. */
function PagesOfAccount() {
  const error = useNoAccount();
  if (!error) return <Outlet />;
  return (
    <Page title="Account">
      <Failure error={error} what="account" />
    </Page>
  );
}

/** Pages of one account: which one stands in the address, so that a link to a page shows the same to a colleague. */
export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'a/$accountId',
  component: PagesOfAccount,
});
