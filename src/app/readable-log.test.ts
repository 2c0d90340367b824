import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../platform/log/log.ts';
import { readableLog } from './readable-log.ts';

test('a log line for people has time, level, message and fields; an error has its stack', () => {
  let text = '';
  const log = createLog('info', readableLog({ write: (line) => (text += line) }));
  log.info({ url: 'http://x', count: 2, key: 'ph_dev_1' }, 'it listens');
  assert.match(text, /^\d\d:\d\d:\d\d info {2}it listens url=http:\/\/x count=2 key=\[redacted\]\n$/);
  text = '';
  log.error({ err: new Error('no disk') }, 'failed');
  assert.match(text, /error failed\nError: no disk\n {4}at .*readable-log\.test/);
  text = '';
  log.debug('not at this level');
  assert.equal(text, '');
});
