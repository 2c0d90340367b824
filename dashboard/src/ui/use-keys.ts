import { useEffect, useRef, useSyncExternalStore } from 'react';

const KEPT_AS = 'posthorn.keys';
const listeners = new Set<() => void>();

/** Keys without a modifier can be switched off: whoever speaks to the computer types them by accident (WCAG 2.1.4). */
const areOn = (): boolean => localStorage.getItem(KEPT_AS) !== 'off';

/** Whether single keys do something, and the switch. */
export function useKeySwitch(): [isOn: boolean, set: (isOn: boolean) => void] {
  const isOn = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areOn);
  const set = (next: boolean): void => {
    localStorage.setItem(KEPT_AS, next ? 'on' : 'off');
    for (const listener of listeners) listener();
  };
  return [isOn, set];
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]') !== null);

/** Single keys of a page: `{ j: next }`. Not in fields, dialogs and menus, nor with a modifier. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const present = useRef(keys);
  useEffect(() => {
    present.current = keys;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isWriting(event.target)) return;
      const act = present.current[event.key];
      // What switches keys on again, and tells of them, is never off.
      if (!act || (event.key !== '?' && !areOn())) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
