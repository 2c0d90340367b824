/**
 * Where a moderator who is at one comment goes on when what was decided leaves the list: at the next comment that is not
 * decided itself, else at the one before. Undefined when nothing else is there.
 */
export function afterDecision(ids: readonly string[], decided: readonly string[], at: string): string | undefined {
  const isLeft = (id: string): boolean => !decided.includes(id);
  const index = Math.max(0, ids.indexOf(at));
  return ids.slice(index).find(isLeft) ?? ids.slice(0, index).findLast(isLeft);
}
