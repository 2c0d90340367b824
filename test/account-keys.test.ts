import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testService } from './helpers/service.ts';

const service = await testService({ withoutLoops: true });
const operator = await service.operator();

test('who is no member any more is not given a key of the account again', async () => {
  const { id } = await service.ok<{ id: string }>(201, 'POST', '/v1/admin/accounts', {
    token: operator,
    body: { name: 'Shop', type: 'MERCHANT' },
  });
  const user = await service.user();
  const member = `/v1/admin/accounts/${id}/members/${user.id}`;
  await service.ok(204, 'PUT', member, { token: operator });
  const keys = `/v1/accounts/${id}/api-keys`;
  const asked = {
    token: user.token,
    headers: { 'idempotency-key': 'once' },
    body: { name: 'Ours', scopes: ['webhooks:manage'] },
  };
  const made = await service.ok<{ id: string; key: string }>(201, 'POST', keys, asked);
  assert.equal((await service.ok<{ key: string }>(201, 'POST', keys, asked)).key, made.key);
  const rotate = `${keys}/${made.id}/rotate`;
  const anew = { token: user.token, headers: { 'idempotency-key': 'twice' }, body: { overlapSeconds: 60 } };
  await service.ok(201, 'POST', rotate, anew);
  await service.ok(204, 'DELETE', member, { token: operator });
  await service.refused('NOT_FOUND', 'POST', keys, asked);
  await service.refused('NOT_FOUND', 'POST', rotate, anew);
});
