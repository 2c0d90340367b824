import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyCaller, SessionCaller } from '../../contracts/caller.ts';
import { actingAccount, checkOperatorChange, checkRotation, fittingName, visibleAccounts } from './rules.ts';

const key = (over: Partial<KeyCaller> = {}): KeyCaller => ({
  kind: 'key',
  keyId: 'k',
  accountId: 'own',
  accountType: 'MERCHANT',
  scopes: ['webhooks:manage'],
  ...over,
});
const session = (over: Partial<SessionCaller> = {}): SessionCaller => ({
  kind: 'session',
  sessionId: 's',
  userId: 'u',
  name: 'U',
  email: null,
  blogRole: null,
  operator: false,
  accountIds: [],
  ...over,
});

test('the account that a caller acts for', () => {
  assert.equal(actingAccount(key()), 'own');
  assert.equal(actingAccount(key(), 'own'), 'own');
  const none = { code: 'NOT_FOUND', message: 'There is no such account.' };
  assert.throws(() => actingAccount(key(), 'other'), none);
  assert.equal(actingAccount(key({ scopes: ['admin'] }), 'other'), 'other');

  assert.throws(() => actingAccount(session()), { code: 'FORBIDDEN' });
  assert.throws(() => actingAccount(session(), 'a'), none);
  assert.equal(actingAccount(session({ accountIds: ['a'] })), 'a');
  assert.throws(() => actingAccount(session({ accountIds: ['a'] }), 'b'), none);
  const several = session({ accountIds: ['a', 'b'] });
  assert.equal(actingAccount(several, 'b'), 'b');
  assert.throws(() => actingAccount(several), { code: 'VALIDATION_ERROR', message: /^query\.accountId/ });

  assert.equal(actingAccount(session({ operator: true }), 'any'), 'any');
  assert.throws(() => actingAccount(session({ operator: true })), { code: 'VALIDATION_ERROR' });
});

test('the accounts that a caller sees', () => {
  assert.deepEqual(visibleAccounts(key()), ['own']);
  assert.equal(visibleAccounts(key({ scopes: ['admin'] })), 'all');
  assert.deepEqual(visibleAccounts(session({ accountIds: ['a', 'b'] })), ['a', 'b']);
  assert.deepEqual(visibleAccounts(session()), []);
  assert.equal(visibleAccounts(session({ operator: true })), 'all');
});

test('an operator who can sign in always remains', () => {
  const acting = { operator: true, disabled: false, canSignIn: true };
  const reader = { ...acting, operator: false };
  for (const after of [reader, { ...acting, disabled: true }]) {
    assert.throws(() => checkOperatorChange(acting, after, 0), { code: 'INVALID_STATE' });
    checkOperatorChange(acting, after, 1);
  }
  checkOperatorChange(acting, acting, 0);
  checkOperatorChange({ ...acting, disabled: true }, { ...reader, disabled: true }, 0);
  const imported = { ...reader, canSignIn: false };
  assert.throws(() => checkOperatorChange(imported, { ...imported, operator: true }, 1), { code: 'INVALID_STATE' });
});

test('only the present key of a line can be rotated', () => {
  const now = new Date(1000);
  const key = { expiresAt: null, revokedAt: null, replacedBy: null };
  checkRotation(key, now);
  for (const over of [{ revokedAt: now }, { replacedBy: 'k2' }, { expiresAt: now }]) {
    assert.throws(() => checkRotation({ ...key, ...over }, now), { code: 'INVALID_STATE' });
  }
});

test('names from outside are cut without breaking a character', () => {
  assert.equal(fittingName('  Ann  '), 'Ann');
  assert.equal(fittingName('A\r\nB\u202e\ud800C 😀'), 'A B C 😀');
  assert.equal(fittingName(`${'x'.repeat(99)}😀y`), `${'x'.repeat(99)}😀`);
});
