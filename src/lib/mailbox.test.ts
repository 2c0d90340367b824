import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMailAddress, parseMailbox } from './mailbox.ts';

test('addresses', () => {
  for (const address of ['a@example.com', "o'neil+tag@mail.example.co", 'a@localhost', 'x.y@a-b.example', 'A@B.CD'])
    assert.ok(isMailAddress(address), address);
  const wrong = [
    '',
    'a',
    '@b',
    'a@',
    'a@b@c.de',
    'a b@c.de',
    'a@c.de\r\nBcc: x@y.z',
    'a@c.de\0',
    '"a b"@c.de',
    'a@-b.de',
  ];
  for (const address of [
    ...wrong,
    'a@b..de',
    '.a@b.de',
    'a@b.de,c@d.ef',
    '<a@b.de>',
    'ä@b.de',
    `${'a'.repeat(65)}@b.de`,
  ])
    assert.ok(!isMailAddress(address), address);
  assert.ok(!isMailAddress(`a@${'b'.repeat(60)}.${'c.'.repeat(100)}de`), 'too long');
});

test('with and without a name', () => {
  assert.deepEqual(parseMailbox('a@example.com'), { name: '', address: 'a@example.com' });
  assert.deepEqual(parseMailbox('<a@example.com>'), { name: '', address: 'a@example.com' });
  assert.deepEqual(parseMailbox(' Shop, Ltd. <a@example.com> '), { name: 'Shop, Ltd.', address: 'a@example.com' });
  assert.deepEqual(parseMailbox('Läden <a@example.com>'), { name: 'Läden', address: 'a@example.com' });
  for (const wrong of ['Shop', 'Shop a@example.com', 'A <a@b.cd> <c@d.ef>', 'A\r\nB <a@b.cd>', '"A" <a@b.cd>', 'A <a>'])
    assert.equal(parseMailbox(wrong), null, wrong);
});

test('a long text that is no address takes no time', () => {
  assert.equal(isMailAddress(`${'a.'.repeat(120)}@`), false);
  assert.equal(parseMailbox(`${' '.repeat(100_000)}<`), null);
});
