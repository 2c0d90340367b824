import { distance } from './distance.ts';

/** The name that was probably meant; null when none is near. */
export function nearest(typed: string, names: readonly string[]): string | null {
  const ranked = names.map((name) => ({ name, steps: distance(typed.toLowerCase(), name) }));
  const [best] = ranked.toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, typed.length / 3) ? best.name : null;
}
