import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import { socketsOf } from './sockets.ts';

const LOOK_MS = 20;

/**
 * Gives a wait until nothing that was answered by then lies in this process any more, or for `ms` at most. A server that is closed
 * ends all connections without a request under way, and Node counts a reply as done when it is written, not when it was sent: a large
 * one would be cut off at whoever reads slowly.
 */
export function watchUnsent(server: Server): (ms: number) => Promise<void> {
  const sockets = socketsOf(server);
  return async (ms) => {
    const until = monotonicNow() + ms;
    const unsent = [...sockets].filter((socket) => socket.writableLength > 0);
    while (monotonicNow() < until && unsent.some((socket) => !socket.destroyed && socket.writableLength > 0))
      await pause(LOOK_MS);
  };
}
