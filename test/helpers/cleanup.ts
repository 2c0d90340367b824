import { after } from 'node:test';

const undoings: (() => unknown)[] = [];

// Given here, at the root of the file: inside a test it would be a hook of that test.
after(async () => {
  for (const fn of undoings.splice(0).toReversed()) await fn();
});

/**
 * Calls `undo` after the test file. What was made last is undone first, so a service stops before its database closes;
 * node:test by itself runs `after` hooks in the order in which they were given.
 */
export function cleanup(undo: () => unknown): void {
  undoings.push(undo);
}
