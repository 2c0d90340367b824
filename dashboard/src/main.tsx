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
import { endSession, leaveForGood, listenToOtherWindows, meQuery, whenBack } from './api/session.ts';
import { userGuard } from './api/user-guard.ts';
import { createDashboardRouter } from './app/router.ts';
import { cssVariables, styleNonce, theme } from './lib/theme.ts';

/** The session ended: whoever is shown signs in over the page, which loses nothing; nobody yet, by a page of its own. */
const queryClient = createQueryClient(() => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in') return;
  if (queryClient.getQueryData(meQuery.queryKey)) endSession();
  else void router.navigate({ to: '/sign-in', search: { to: href }, ignoreBlocker: true });
});
/** What failed meanwhile is read anew. Not who this is: that was just answered. */
whenBack(
  () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] }),
);
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
  } else {
    void askAgain().catch(() => undefined);
  }
});

const askAgain = async (): Promise<string> => (await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })).user.id;
userGuard.start(askAgain, startAnew);
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
