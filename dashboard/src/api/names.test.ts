import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultText } from './names.ts';

test('faults name fields and filters as the pages do', () => {
  const told = [
    ['query.endpointId', 'must be a UUID'],
    ['query.since', 'must not be after `until`'],
    ['body.url', 'must start with https://'],
    ['body.headers.X-Tenant', 'is given twice'],
    ['query.page', 'must be <= 10000'],
    ['body.someThingNew', 'is unknown'],
  ].map(([path = '', message = '']) => faultText({ path, message }));
  assert.deepEqual(told, [
    'Endpoint is no id',
    'From must not be after “Until”',
    'Address must start with https://',
    'Headers X-Tenant is given twice',
    'Page must be <= 10000',
    'Some thing new is unknown',
  ]);
});
