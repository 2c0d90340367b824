import { after } from 'node:test';

const undoings = new Set<() => unknown>();

/** Undoes everything; what was made last is undone first. Each is tried, whatever becomes of the others. */
export async function undoAll(): Promise<void> {
  const faults: unknown[] = [];
  for (const undo of [...undoings].toReversed()) {
    undoings.delete(undo);
    try {
      await undo();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length === 1) throw faults[0];
  if (faults.length > 1) throw new AggregateError(faults, 'not undone');
}

// Given here, at the root of the file: inside a test it would be a hook of that test. Where several files share a process,
// scripts/lib/shared-process.ts does it at the end of each.
if (process.env.TEST_SHARED === undefined) after(undoAll);

/**
 * Calls `undo` after the test file. What was made last is undone first, so a service stops before its database closes;
 * node:test by itself runs `after` hooks in the order in which they were given. What it returns forgets it: what has been undone
 * before would be kept to the end of the file, which may start hundreds of services.
 */
export function cleanup(undo: () => unknown): () => void {
  undoings.add(undo);
  return () => void undoings.delete(undo);
}
