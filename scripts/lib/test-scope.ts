import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';

/**
 * To which suite or test something belongs that is made after an `await`, node:test finds out by async hooks, for which each promise, timer
 * and socket of the process is reported: a tenth of what a run computes. Here it is told by an AsyncLocalStorage: it is
 * given the three things that it takes of `node:async_hooks` in a form that does so. Loaded before all else (`--import`); everybody else
 * has the module as it is.
 */
const scope = new AsyncLocalStorage<number>();
const begun: NonNullable<HookCallbacks['init']>[] = [];

/** What a test or suite is: what runs in it, and whatever that begins, is in its scope. */
class ScopedResource extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options);
    for (const init of begun) init(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    fn: (this: This, ...args: never[]) => Result,
    thisArg?: This,
    ...args: never[]
  ): Result {
    return super.runInAsyncScope(() => scope.run(this.asyncId(), () => fn.apply(thisArg as This, args)));
  }
}

const { AsyncResource: Resource, executionAsyncId, createHook } = asyncHooks;
Object.assign(asyncHooks, {
  AsyncResource: ScopedResource,
  executionAsyncId: () => scope.getStore() ?? 0,
  createHook: (hook: HookCallbacks) => ({
    enable: () => void begun.push((...made) => hook.init?.(...made)),
    disable: () => undefined,
  }),
});
process.getBuiltinModule('node:test');
Object.assign(asyncHooks, { AsyncResource: Resource, executionAsyncId, createHook });
