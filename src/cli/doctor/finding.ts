/** How something is: well, worth a look, or in the way of the service. */
export type State = 'ok' | 'warn' | 'fail';

/** What one check found. */
export interface Finding {
  what: string;
  state: State;
  found: string;
  /** What to do; null when it is well. */
  todo: string | null;
}

export const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found, todo: null });
export const warn = (what: string, found: string, todo: string): Finding => ({ what, state: 'warn', found, todo });
export const fail = (what: string, found: string, todo: string): Finding => ({ what, state: 'fail', found, todo });
