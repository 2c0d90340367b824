import { isDeepStrictEqual } from 'node:util';
import { invalidAll } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordDifference, type Values } from '../../changes/index.ts';
import { foldText } from '../comments/rules.ts';
import type { Writer } from '../rules.ts';
import { getCommentSettings } from './get-comment-settings.ts';
import { requireEditor } from './require-editor.ts';
import type { CommentSettings, CommentSettingsChange } from './schemas.ts';
import { lockCommentSettings, writeCommentSettings } from './settings-store.ts';

/** Without white space around them and without repeats; the first spelling stays. Throws VALIDATION_ERROR. */
function cleanWords(words: readonly string[]): string[] {
  const faults = words.flatMap((word, i) =>
    foldText(word.replaceAll('*', '')) === '' || word.trim().slice(1, -1).includes('*')
      ? [{ path: `body.blockedWords.${i}`, message: 'must be a word or phrase, with `*` at its ends only' }]
      : [],
  );
  if (faults.length > 0) throw invalidAll(faults);
  const seen = new Map<string, string>();
  for (const word of words.map((w) => w.trim())) if (!seen.has(foldText(word))) seen.set(foldText(word), word);
  return [...seen.values()];
}

/** Of the words, which may be a thousand, those that are in only one of both. */
function valuesOf(
  { blockedWords, updatedAt: _at, updatedBy: _by, ...rest }: CommentSettings,
  other: CommentSettings,
): Values {
  const theirs = new Set(other.blockedWords);
  return { ...rest, blockedWords: blockedWords.filter((word) => !theirs.has(word)) };
}

async function recordSettings(trx: Trx, before: CommentSettings, after: CommentSettings, env: Env): Promise<void> {
  const thing = { kind: 'COMMENT_SETTINGS', id: null, name: 'Comments of the blog' } as const;
  const values = { before: valuesOf(before, after), after: valuesOf(after, before) };
  await recordDifference(trx, { action: 'comment_settings.changed', thing, accountId: null, ...values }, env);
}

/**
 * Changes the fields given; they act on the next comment, on every node. Comments that are there stay as they are.
 * Throws FORBIDDEN for authors, VALIDATION_ERROR.
 */
export async function updateCommentSettings(
  trx: Trx,
  { writer, change }: { writer: Writer; change: CommentSettingsChange },
  env: Env,
): Promise<CommentSettings> {
  requireEditor(writer);
  const { blockedWords, ...rest } = change;
  const wanted = { ...rest, ...(blockedWords === undefined ? {} : { blockedWords: cleanWords(blockedWords) }) };
  await lockCommentSettings(trx);
  const before = await getCommentSettings(trx, { writer });
  // What changes nothing is nobody's change.
  if (isDeepStrictEqual({ ...before, ...wanted }, before)) return before;
  await writeCommentSettings(trx, wanted, { userId: writer.id, now: env.now });
  const after = await getCommentSettings(trx, { writer });
  await recordSettings(trx, before, after, env);
  return after;
}
