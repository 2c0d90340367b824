import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterSaving,
  changesOf,
  isOvertaken,
  NOTHING_TYPED,
  type Settings,
  shownFields,
  withTyped,
} from './rules-draft.ts';

const at: Settings = {
  preModeration: false,
  maxLinks: 3,
  repeatSeconds: 3600,
  blockedWords: ['casino', 'buy now'],
  updatedAt: '2026-11-22T09:30:00.000Z',
  updatedBy: null,
};
const later = (change: Partial<Settings>): Settings => ({ ...at, updatedAt: '2026-11-22T09:31:00.000Z', ...change });

test('what is typed stays when another saves another rule, and is all that is saved', () => {
  const draft = withTyped(NOTHING_TYPED, at, { words: 'casino\n\n poker \ncasino' });
  const now = later({ maxLinks: 1 });
  assert.deepEqual(shownFields(now, draft), {
    preModeration: false,
    maxLinks: 1,
    repeatSeconds: 3600,
    words: 'casino\n\n poker \ncasino',
  });
  assert.deepEqual(changesOf(now, draft), { blockedWords: ['casino', 'poker'] });
  assert.equal(isOvertaken(now, draft), false);
});

test('that another has changed the same rule is told', () => {
  const draft = withTyped(withTyped(NOTHING_TYPED, at, { words: 'p' }), at, { words: 'poker' });
  assert.equal(isOvertaken(at, draft), false);
  const theirs = later({ blockedWords: ['casino', 'buy now', 'slots'] });
  assert.equal(isOvertaken(theirs, draft), true);
  assert.equal(
    isOvertaken(theirs, withTyped(draft, theirs, { words: 'poker!' })),
    true,
    'typing on does not forget it',
  );
  assert.equal(isOvertaken(later({ blockedWords: ['poker'] }), draft), false, 'they typed the same');
});

test('what is typed while it is being saved is kept, and is nobody else’s', () => {
  const sent = withTyped(NOTHING_TYPED, at, { words: 'poker' });
  const saved = later({ blockedWords: ['poker'] });
  assert.equal(afterSaving(sent, sent, saved), NOTHING_TYPED);
  const more = afterSaving(withTyped(sent, at, { words: 'poker\nslots' }), sent, saved);
  assert.deepEqual([changesOf(saved, more), isOvertaken(saved, more)], [{ blockedWords: ['poker', 'slots'] }, false]);
});

test('what was typed and taken back is nothing to save', () => {
  const draft = withTyped(withTyped(NOTHING_TYPED, at, { maxLinks: 5 }), at, { maxLinks: '3', preModeration: false });
  assert.deepEqual(changesOf(at, draft), {});
});
