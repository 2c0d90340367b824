import type { Bus } from './bus.ts';

/** The bus of a process that is alone with its database: there is nobody to tell. */
export const localBus = (): Bus => ({
  publish: () => undefined,
  subscribe: () => () => undefined,
  close: async () => undefined,
});
