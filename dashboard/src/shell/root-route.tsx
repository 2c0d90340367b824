import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { NotFoundPage, PageFailure } from './failure-pages.tsx';
import { SignInAgain } from './sign-in-again.tsx';

function Root() {
  return (
    <>
      <Outlet />
      <SignInAgain />
    </>
  );
}

/** Above everything, signed in or not. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFailure,
});
