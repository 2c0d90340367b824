import type { Operations } from '@posthorn/client';
import { given } from '../lib/given.ts';

export type Settings = Operations['getCommentSettings']['reply'];
type Body = NonNullable<Operations['updateCommentSettings']['input']['body']>;

/** The fields of the form, as they are typed. */
export interface Fields {
  preModeration: boolean;
  maxLinks: number | string;
  repeatSeconds: number | string;
  /** A word or phrase on each line. */
  words: string;
}

/** What somebody has typed, by field, and the settings that stood there then. */
export interface RulesDraft {
  typed: Partial<Fields>;
  before: Partial<Fields>;
}

export const NOTHING_TYPED: RulesDraft = { typed: {}, before: {} };

const linesOf = (text: string): string[] => [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);

const fieldsOf = ({ preModeration, maxLinks, repeatSeconds, blockedWords }: Settings): Fields => ({
  preModeration,
  maxLinks,
  repeatSeconds,
  words: blockedWords.join('\n'),
});

/** The form: what was typed, over the settings as they are now. So another's change comes in beside what is typed. */
export const shownFields = (settings: Settings, { typed }: RulesDraft): Fields => ({ ...fieldsOf(settings), ...typed });

export function withTyped({ typed, before }: RulesDraft, settings: Settings, change: Partial<Fields>): RulesDraft {
  const now = fieldsOf(settings);
  const stood = Object.fromEntries(Object.keys(change).map((name) => [name, now[name as keyof Fields]]));
  return { typed: { ...typed, ...change }, before: { ...stood, ...before } };
}

/** What is left of a draft when it was saved as `sent`: what was typed while that was on its way. */
export const afterSaving = (draft: RulesDraft, sent: RulesDraft, saved: Settings): RulesDraft =>
  draft === sent ? NOTHING_TYPED : { typed: draft.typed, before: fieldsOf(saved) };

/** What is saved: the fields that were typed and differ, so that what another has changed meanwhile stays. */
export function changesOf(settings: Settings, { typed }: RulesDraft): Body {
  const { preModeration, maxLinks, repeatSeconds, words } = typed;
  const body: Body = given({
    preModeration,
    maxLinks: maxLinks === undefined ? undefined : Number(maxLinks),
    repeatSeconds: repeatSeconds === undefined ? undefined : Number(repeatSeconds),
    blockedWords: words === undefined ? undefined : linesOf(words),
  });
  const differs = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(settings[name as keyof Settings]);
  return Object.fromEntries(Object.entries(body).filter(differs));
}

/** Whether another has changed a field that is being typed: saving then puts one's own in its place. */
export function isOvertaken(settings: Settings, { typed, before }: RulesDraft): boolean {
  const now = fieldsOf(settings);
  return (Object.keys(typed) as (keyof Fields)[]).some(
    (name) => now[name] !== before[name] && now[name] !== typed[name],
  );
}
