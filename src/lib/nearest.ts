import { distance } from './distance.ts';

/** The name that was probably meant, in whatever letters; null when none is near, or two are as near. */
export function nearest(typed: string, names: readonly string[]): string | null {
  const most = Math.max(2, typed.length / 3);
  const ranked = names
    // So many steps it is at least.
    .filter((name) => Math.abs(name.length - typed.length) <= most)
    .map((name) => ({ name, steps: distance(typed.toLowerCase(), name.toLowerCase()) }));
  const [best, next] = ranked.toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= most && best.steps !== next?.steps ? best.name : null;
}
