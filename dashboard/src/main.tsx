import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import './main.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { leaveForGood, listenToOtherWindows, meQuery } from './api/session.ts';
import { userGuard } from './api/user-guard.ts';
import { createDashboardRouter } from './app/router.ts';
import { cssVariables, styleNonce, theme } from './lib/theme.ts';

/** The session ended elsewhere: back to the sign-in, and from there to the page that was open. */
const queryClient = createQueryClient(() => {
  userGuard.forget();
  const { pathname, href } = router.state.location;
  // What is not saved is kept in this browser, and offered by the page when its writer is back.
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { to: href }, ignoreBlocker: true });
});
const router = createDashboardRouter(queryClient);

/** Nothing of the one before may be shown, or saved, in the name of another: nobody is asked whether to stay. */
function startAnew(): void {
  leaveForGood();
  window.location.reload();
}

listenToOtherWindows((userId) => {
  const { pathname, search } = router.state.location;
  if (pathname === '/sign-in') {
    userGuard.forget();
    queryClient.clear();
    if (userId !== null) void router.navigate({ href: (search as { to?: string }).to ?? '/' });
  } else if (queryClient.getQueryData(meQuery.queryKey)?.user.id !== userId) {
    startAnew();
  }
});

userGuard.start(async () => (await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })).user.id, startAnew);
const lookHere = (): void => void userGuard.lookHere();
const lookAway = (): void => userGuard.lookAway();
window.addEventListener('focus', lookHere);
window.addEventListener('blur', lookAway);
document.addEventListener('visibilitychange', () => (document.hidden ? lookAway() : lookHere()));

// Where scrolling is locked behind a dialog, a library makes a style element by itself and looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
