import { useSyncExternalStore } from 'react';

const KEPT_AS = 'posthorn.exact-times';
const listeners = new Set<() => void>();
const isOn = (): boolean => localStorage.getItem(KEPT_AS) === 'on';

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether times are shown to the second instead of as "3 hours ago"; kept in this browser. */
export const useExactTimes = (): boolean => useSyncExternalStore(listen, isOn);

export function setExactTimes(on: boolean): void {
  localStorage.setItem(KEPT_AS, on ? 'on' : 'off');
  for (const listener of listeners) listener();
}
