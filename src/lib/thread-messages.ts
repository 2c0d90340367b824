import type { Worker } from 'node:worker_threads';

/** Under `node --watch` Node tells by the same channel which files a thread has loaded. */
const isOfNode = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && ('watch:import' in message || 'watch:require' in message);

/** Calls `hear` with each message that the thread's own code sends. */
export function onThreadMessage(thread: Worker, hear: (message: never) => void): void {
  thread.on('message', (message: unknown) => {
    if (!isOfNode(message)) hear(message as never);
  });
}
