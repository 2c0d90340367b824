import { createRoute, redirect } from '@tanstack/react-router';
import { type Me, meQuery } from '../api/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { sectionsOf } from './navigation.ts';
import { shellRoute } from './shell-route.ts';

/** Where somebody begins: the first page of their navigation. */
export const firstPage = (me: Me) => sectionsOf(me, me.accounts[0])[0]?.entries[0]?.link;

function NothingHere() {
  return (
    <Page title="Welcome">
      <EmptyState
        title="There is nothing here for you yet"
        text="You are signed in, but you neither write for the blog nor belong to an account. An operator of this service can give you a role."
        action={
          <LinkButton to="/notifications" variant="default" mt="sm">
            Your notifications
          </LinkButton>
        }
      />
    </Page>
  );
}

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  async beforeLoad({ context }) {
    const link = firstPage(await context.queryClient.ensureQueryData(meQuery));
    if (link) throw redirect({ ...link, replace: true });
  },
  component: NothingHere,
});
