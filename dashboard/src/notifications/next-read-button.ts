import { isFocusLost } from '../ui/lost-focus.ts';

/** Marks the buttons of a list by which a notification is read. */
export const READ_BUTTON = 'data-read-button';

/**
 * Remembers where in the list the button stands that has the focus, and gives what puts the focus on the one that took
 * its place, the last one, or the list. Whoever went elsewhere meanwhile is left alone, and so is who clicked where a click
 * gives no focus (Safari).
 */
export function nextReadButton(list: HTMLElement | null): () => void {
  const buttons = (): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>(`[${READ_BUTTON}]`) ?? [])];
  const place = buttons().findIndex((button) => button === document.activeElement);
  return () =>
    window.setTimeout(() => {
      if (place === -1 || !isFocusLost()) return;
      const left = buttons();
      (left[place] ?? left.at(-1) ?? list?.querySelector('section'))?.focus();
    });
}
