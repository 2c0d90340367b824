import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCoding } from './codings.ts';

test('a body is compressed once, and once more where that failed', async () => {
  const body = Buffer.from('a body');
  let tries = 0;
  const make = async (): Promise<Buffer> => {
    if (++tries === 1) throw new Error('no memory');
    return Buffer.from('short');
  };
  const ask = () => inCoding('br', body, make);
  await assert.rejects(Promise.all([ask(), ask()]), /no memory/);
  assert.equal(tries, 1);
  assert.equal((await ask()).toString(), 'short');
  assert.equal(await ask(), await ask());
  assert.equal(tries, 2);
});

test('what is held takes no more memory than its bytes', async () => {
  for (const coding of ['br', 'gzip'] as const) {
    const bytes = await inCoding(coding, Buffer.from('words, '.repeat(1000)));
    assert.equal(bytes.buffer.byteLength, bytes.length);
  }
});
