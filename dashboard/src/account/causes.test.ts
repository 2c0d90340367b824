import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterClass, answerText, causeOf, causeText, DEADLY, FAILURES, isCause } from './causes.ts';

test('lists are filtered by every class of a failed attempt, and by none of another end', () => {
  assert.deepEqual(FAILURES[0], { value: 'HTTP_3XX', label: 'Redirect (HTTP_3XX)' });
  const classes = FAILURES.map(({ value }) => value);
  assert.ok(classes.includes('INTERNAL'), 'faults of the service');
  assert.ok(!classes.includes('REPLAYED') && !classes.includes('BY_REQUEST'));
  for (const cause of [...classes, 'PULLED']) assert.ok(causeText(cause), cause);
  assert.equal(causeText('UNHEARD_OF'), null);
});

test('dead letters are filtered by no class of what keeps a delivery', () => {
  const classes = DEADLY.map(({ value }) => value);
  assert.ok(classes.includes('HTTP_410') && classes.includes('INTERNAL'));
  assert.ok(!classes.includes('NO_SIGNING_SECRET') && !classes.includes('UNREADABLE_HEADERS'));
  assert.equal(classes.length, FAILURES.length - 2);
});

test('an attempt is told by its status, by what went wrong, or by both of a reply that was not whole', () => {
  const told = [
    [200, null],
    [503, 'HTTP_5XX'],
    [null, 'DNS'],
    [200, 'RESET'],
  ].map(([responseStatus, errorClass]) =>
    answerText({ responseStatus, errorClass } as Parameters<typeof answerText>[0]),
  );
  assert.deepEqual(told, ['200', '503', 'DNS', '200, RESET']);
});

test('a message goes on from its class, which is told once', () => {
  assert.equal(afterClass('DNS', 'the name is not found'), ': the name is not found');
  assert.equal(afterClass('TLS', 'TLS handshake failed (ECONNRESET)'), ' handshake failed (ECONNRESET)');
});

test('a cause that is none stays in the filter, where the service refuses it: left out, all dead letters would be meant', () => {
  assert.deepEqual(['DNS', 'HTTP_5X', 5, null, ['DNS', 'TLS']].map(causeOf), [
    'DNS',
    'HTTP_5X',
    '5',
    'null',
    '["DNS","TLS"]',
  ]);
  assert.deepEqual(['', undefined].map(causeOf), [undefined, undefined]);
  assert.deepEqual(['DNS', 'UNKNOWN', 'toString', null].map(isCause), [true, false, false, false]);
});
