import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../../../scripts/lib/postgres.ts';
import { AppError } from '../../contracts/errors.ts';
import { createLog } from '../log/log.ts';
import { failureTeller } from './tell-failure.ts';

interface Line {
  level: string;
  requestId: string;
  err?: { message: string; stack?: string };
  reason?: string;
}

test('each request that fails by the database has its line with the reason, and once a minute where it failed', () => {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  let now = 0;
  const tell = failureTeller(log, () => now);
  const away = new AppError('UNAVAILABLE', { cause: new Error('No space left on device') });
  for (const [requestId, at] of [
    ['r1', 0],
    ['r2', 59_000],
    ['r3', 60_000],
  ] as const) {
    now = at;
    tell(away, { requestId, operationId: 'createPost' });
  }
  assert.deepEqual(
    lines.map(({ level, requestId, err, reason }) => [
      level,
      requestId,
      err?.message ?? reason,
      err?.stack !== undefined,
    ]),
    [
      ['error', 'r1', 'No space left on device', true],
      ['error', 'r2', 'No space left on device', false],
      ['error', 'r3', 'No space left on device', true],
    ],
  );
});

test('a database whose name has several addresses, of which none answers, is told with what each of them said', async () => {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const port = await freePort();
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({ port, host: 'db.example', lookup: (_name, _options, done) => done(null, addresses) });
  const [cause] = (await once(socket, 'error').catch((error: unknown) => [error])) as [Error];
  const tell = failureTeller(log, () => 0);
  for (const requestId of ['r1', 'r2'])
    tell(new AppError('UNAVAILABLE', { cause }), { requestId, operationId: 'createPost' });
  const said = `connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`;
  assert.deepEqual([lines[0]?.err?.message, lines[1]?.reason], [said, said]);
});

test('what has another cause is told in full each time, and a request too many without one', () => {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const tell = failureTeller(log, () => 0);
  const fault = new AppError('INTERNAL_ERROR', { cause: new Error('broken') });
  for (const requestId of ['r1', 'r2']) tell(fault, { requestId, operationId: undefined });
  tell(new AppError('UNAVAILABLE'), { requestId: 'r3', operationId: undefined });
  assert.deepEqual(
    lines.map(({ level, err }) => [level, err?.stack !== undefined]),
    [
      ['error', true],
      ['error', true],
      ['info', false],
    ],
  );
});
