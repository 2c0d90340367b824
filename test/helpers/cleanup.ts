import { after } from 'node:test';

const undoings: (() => unknown)[] = [];

/**
 * Calls `undo` after the test file. What was made last is undone first, so a service stops before its database closes;
 * node:test by itself runs `after` hooks in the order in which they were given.
 */
export function cleanup(undo: () => unknown): void {
  if (undoings.length === 0) {
    after(async () => {
      for (const fn of undoings.splice(0).toReversed()) await fn();
    });
  }
  undoings.push(undo);
}
