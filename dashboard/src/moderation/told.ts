import type { Operations } from '@posthorn/client';

type Outcomes = Operations['moderateComments']['reply']['data'];
type Outcome = Outcomes[number]['outcome'];

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}.`];

/** What came of a decision, in words: of each comment what the service says of it. */
export function told(outcomes: Outcomes, status: 'VISIBLE' | 'HIDDEN'): string {
  const done = status === 'HIDDEN' ? 'hidden' : 'visible';
  if (outcomes.length === 1) {
    const alone: Record<Outcome, string> = {
      CHANGED: `The comment is ${done}.`,
      UNCHANGED: `The comment was ${done} already.`,
      NOT_FOUND: 'The comment is gone: it was deleted meanwhile.',
    };
    return alone[outcomes[0]?.outcome ?? 'NOT_FOUND'];
  }
  const count = (which: Outcome): number => outcomes.filter(({ outcome }) => outcome === which).length;
  return [
    ...counted(count('CHANGED'), `comment is ${done} now`, `comments are ${done} now`),
    ...counted(count('UNCHANGED'), `was ${done} already`, `were ${done} already`),
    ...counted(count('NOT_FOUND'), 'is gone: it was deleted meanwhile', 'are gone: they were deleted meanwhile'),
  ].join(' ');
}
