import { Center } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { meQuery, tellOtherWindows, useHasEnded } from '../api/session.ts';
import classes from './sign-in-again.module.css';
import { SignInForm } from './sign-in-form.tsx';

/** Whether it is shown, for who listens without being drawn. */
let isShown = false;

/**
 * What is behind it takes no key and no wheel: a dialog there would be closed by Escape, and keeps others from scrolling. From the
 * start, so that nobody listens before.
 */
for (const type of ['keydown', 'wheel', 'touchmove']) {
  window.addEventListener(type, (event) => isShown && event.stopImmediatePropagation(), {
    capture: true,
    passive: true,
  });
}

/**
 * The sign-in over a page whose session has ended. The page stays as it is behind it, out of sight and out of reach, with all that is
 * typed in its forms and dialogs: whoever comes back goes on, and for anybody else the page is loaded anew.
 */
export function SignInAgain() {
  const hasEnded = useHasEnded();
  const { pathname } = useLocation();
  return hasEnded && pathname !== '/sign-in' ? <Cover /> : null;
}

function open(cover: HTMLDialogElement | null): void {
  cover?.showModal();
  cover?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
}

function Cover() {
  const dialog = useRef<HTMLDialogElement>(null);
  const queryClient = useQueryClient();
  const email = queryClient.getQueryData(meQuery.queryKey)?.user.email ?? '';
  const openAgain = (): void => {
    if (isShown && dialog.current?.open === false) open(dialog.current);
  };
  useLayoutEffect(() => {
    const title = document.title;
    const cover = dialog.current;
    isShown = true;
    document.title = 'Sign in · Posthorn';
    open(cover);
    return () => {
      isShown = false;
      document.title = title;
      // While it is still there: the focus goes back to where it was.
      cover?.close();
    };
  }, []);
  // What was refused may have been asked for before somebody signed in elsewhere.
  useEffect(() => void queryClient.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => undefined), [queryClient]);
  const goOn = async (userId: string): Promise<void> => {
    tellOtherWindows(userId);
    // One that is under way may still be answered for the session that ended.
    await queryClient.cancelQueries({ queryKey: meQuery.queryKey });
    await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
  };
  return (
    // Browsers close any dialog when Escape is pressed often enough.
    <dialog
      ref={dialog}
      className={classes.cover}
      aria-labelledby="sign-in"
      onCancel={(event) => event.preventDefault()}
      onClose={openAgain}
    >
      <Center mih="100dvh" p="md">
        <SignInForm
          email={email}
          text="Your session has ended. What you typed is still there; what you did last may have to be done again."
          onSignedIn={goOn}
        />
      </Center>
    </dialog>
  );
}
