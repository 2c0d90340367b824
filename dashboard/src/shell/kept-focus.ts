import { type RefObject, useEffect, useRef } from 'react';
import { isFocusLost } from '../ui/lost-focus.ts';

/** Who moves the focus by themselves, as a dialog that closes and a menu do, have done so by then. Milliseconds. */
const SETTLED_MS = 50;

/** It holds the focus, and its end is looked at in turn. */
const isDialogOpen = (): boolean => document.querySelector('[aria-modal="true"], dialog[open]') !== null;

/**
 * Gives the focus to the content of the page when what had it is gone, as a link of the page before, or a button that a dialog would
 * give it back to, and when the page changes while nothing has it: whoever goes by keys or hears a page would begin at its top again.
 * Never takes it from where it is, nor from who clicked beside everything.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>, pathname: string): void {
  const last = useRef<EventTarget>(null);
  const page = useRef(pathname);
  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => void (last.current = target);
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
  useEffect(() => {
    // Not of the first page: where it began, Tab comes to the link that skips the navigation.
    let isNewPage = page.current !== pathname;
    page.current = pathname;
    let timer: number | undefined;
    const give = (): void => {
      timer = undefined;
      if (isDialogOpen()) return;
      isNewPage = false;
      if (isFocusLost()) content.current?.focus({ preventScroll: true });
    };
    const look = (): void => {
      const isGone = last.current instanceof Element && !last.current.isConnected;
      if (isNewPage || isGone) timer ??= window.setTimeout(give, SETTLED_MS);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
    return () => {
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, [content, pathname]);
}
