import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPostgres, onlyPostgres } from '../../../../test/helpers/database.ts';
import { wayTo } from '../../../platform/db/index.ts';
import { checkEncryption, encryptionFindings } from './check-encryption.ts';

test('only what leaves the private network in the clear is told', () => {
  const found = (address: string | null, isEncrypted = false): string[] =>
    encryptionFindings('READ_DATABASE_URL', { address, isEncrypted }).map((finding) => finding.found);
  const told = (address: string): string[] => [
    `what goes to ${address} and comes from there is not encrypted (READ_DATABASE_URL)`,
  ];
  for (const address of ['93.184.215.14', '2606:2800:21f::1']) {
    assert.deepEqual([found(address), found(address, true)], [told(address), []]);
  }
  for (const address of [null, '127.0.0.1', '::1', '10.0.0.5', '172.18.0.2', 'fd00::2']) {
    assert.deepEqual(found(address), []);
  }
});

test('the way is that of a connection of the settings', onlyPostgres, async () => {
  const url = await emptyPostgres();
  const { address, isEncrypted } = await wayTo(url);
  assert.equal(isEncrypted, false);
  assert.ok(address === null || /^(127\.|::1)/.test(address), String(address));
  const settings = { DATABASE_URL: url, DATABASE_LISTEN_URL: 'postgres://127.0.0.1:1/x', READ_DATABASE_URL: undefined };
  assert.deepEqual(await checkEncryption(settings), []);
});
