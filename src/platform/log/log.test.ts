import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

const SECRET = 'hunter2';

function written(write: (log: ReturnType<typeof createLog>) => void, level = 'info'): string[] {
  const lines: string[] = [];
  write(createLog(level, { write: (line: string) => void lines.push(line) }));
  return lines;
}

test('a line is JSON with level, time and message, and nothing of the machine', () => {
  const [line] = written((log) => log.warn({ requestId: 'r1' }, 'something'));
  const { time, ...rest } = JSON.parse(line ?? '') as Record<string, unknown>;
  assert.deepEqual(rest, { level: 'warn', requestId: 'r1', msg: 'something' });
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('secrets are removed by the name of their field, at the top and one level down', () => {
  for (const name of [
    'password',
    'authorization',
    'cookie',
    'key',
    'signingSecret',
    'accessToken',
    'token',
    'secret',
  ]) {
    for (const object of [
      { [name]: SECRET },
      { body: { [name]: SECRET } },
      { headers: { [name]: SECRET, accept: 'x' } },
    ]) {
      const [line = ''] = written((log) => log.info(object, 'request'));
      assert.ok(!line.includes(SECRET), line);
      assert.ok(line.includes('[redacted]'), line);
    }
  }
});

test('what is below the level is not written', () => {
  assert.equal(written((log) => (log.debug('a'), log.info('b'), log.warn('c')), 'warn').length, 1);
});

test('an error is written with its stack and cause', () => {
  const [line = ''] = written((log) => log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed'));
  const { err } = JSON.parse(line) as { err: { message: string; stack: string; cause: { stack: string } } };
  assert.match(err.message, /outer/);
  assert.match(err.cause.stack, /inner/);
});

test('of an error and its causes only what tells nothing of the values is written', () => {
  const database = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'users_email',
    table: 'users',
    detail: `Key (email)=(${SECRET})`,
    query: `select '${SECRET}'`,
    params: [SECRET],
  });
  const outer = Object.assign(new Error('failed', { cause: database }), { response: { body: SECRET } });
  for (const err of [database, outer, Object.assign(new Error('own'), { cause: outer })]) {
    const [line = ''] = written((log) => log.error({ err }, 'failed'));
    assert.ok(!line.includes(SECRET), line);
    for (const told of ['23505', 'users_email', 'duplicate key']) assert.ok(line.includes(told), line);
  }
  const circle = new Error('circle');
  circle.cause = circle;
  assert.equal(written((log) => log.error({ err: circle }, 'failed')).length, 1);
});
