import { after } from 'node:test';

const undoings = new Set<() => unknown>();

// Given here, at the root of the file: inside a test it would be a hook of that test.
after(async () => {
  for (const fn of [...undoings].toReversed()) await fn();
});

/**
 * Calls `undo` after the test file. What was made last is undone first, so a service stops before its database closes;
 * node:test by itself runs `after` hooks in the order in which they were given. What it returns forgets it: what has been undone
 * before would be kept to the end of the file, which may start hundreds of services.
 */
export function cleanup(undo: () => unknown): () => void {
  undoings.add(undo);
  return () => void undoings.delete(undo);
}
