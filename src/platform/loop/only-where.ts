import type { Loop } from './loop.ts';

/**
 * The loop on the node that is the one for it, as `isHere` says before each step; on others a step does nothing. For what one node
 * is enough for, and two do no harm: that each worker looks each second is a tenth of what one costs that has nothing to do (measured).
 */
export const onlyWhere = (isHere: () => boolean | Promise<boolean>, loop: Loop): Loop => ({
  ...loop,
  step: async (polled) => (await isHere()) && loop.step(polled),
});
