import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { takeCopies, writeCopies } from './backup.ts';
import type { Copy } from './draft-keeper.ts';

const KEY = { userId: 'u', postId: 'p' };
const copy = (body: string, at = '2026-11-25T10:00:00.000Z'): Copy =>
  ({ version: 1, fields: { body }, at }) as unknown as Copy;
const bodies = (copies: readonly Copy[]): string[] => copies.map(({ fields }) => fields.body);
const nobody = (): boolean => false;

/** Object.keys of a storage gives the names of what it holds, and nothing else. */
class Stored {
  [name: string]: unknown;
}
Object.defineProperties(Stored.prototype, {
  getItem: { value: (name: string) => stored[name] ?? null },
  setItem: { value: (name: string, value: string) => (stored[name] = value) },
  removeItem: { value: (name: string) => delete stored[name] },
});
let stored = new Stored();

describe('copies in the browser', () => {
  beforeEach(() => {
    stored = new Stored();
    Object.defineProperty(globalThis, 'localStorage', { value: stored, configurable: true });
  });

  test('of two editors of a post do not overwrite each other', () => {
    writeCopies(KEY, 'one', [copy('a long text')]);
    writeCopies(KEY, 'two', [copy('x')]);
    writeCopies(KEY, 'two', []);
    assert.deepEqual(bodies(takeCopies(KEY, nobody)), ['a long text']);
  });

  test('are given out once, the newest first, without those of an editor that is there', () => {
    writeCopies(KEY, 'old', [copy('old', '2026-11-25T09:00:00.000Z')]);
    writeCopies(KEY, 'new', [copy('merged'), copy('mine')]);
    writeCopies(KEY, 'there', [copy('being written')]);
    const isThere = (editorId: string): boolean => editorId === 'there';
    assert.deepEqual(bodies(takeCopies(KEY, isThere)), ['merged', 'mine', 'old']);
    assert.deepEqual(takeCopies(KEY, isThere), []);
    assert.deepEqual(bodies(takeCopies(KEY, nobody)), ['being written']);
  });

  test('of another person or post are not given out', () => {
    writeCopies({ ...KEY, userId: 'v' }, 'one', [copy('theirs')]);
    writeCopies({ ...KEY, postId: 'q' }, 'one', [copy('of another')]);
    assert.deepEqual(takeCopies(KEY, nobody), []);
  });
});
