import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookEndpoint } from '../../../client/src/index.ts';
import { heldBecause } from './held.ts';

type Status = WebhookEndpoint['status'];

const NO_KEY = 'the account had no key that could be used to sign';
const SEALED = 'the endpoint’s own headers could not be read';
const OPENED = 'the endpoint was not open; it is now';
/** All that has to be well for what an open endpoint is to get: nothing less may be promised. */
const SOON =
  'it is sent within half a minute once the account has a key that can be used to sign (a new one: posthorn keys create signing --scope webhooks:manage --account a1) ' +
  'and the endpoint’s own headers, if any, can be read (to set them again: posthorn endpoints update e1 --headers …)';
const RESUME = 'posthorn endpoints resume e1';

test('why a delivery is held, by the state of its endpoint and by what kept it then', () => {
  const cases: [status: Status, reason: string | null, errorClass: string | null, why: string][] = [
    ['ACTIVE', null, 'NO_SIGNING_SECRET', `${NO_KEY}: ${SOON}`],
    ['ACTIVE', null, 'UNREADABLE_HEADERS', `${SEALED}: ${SOON}`],
    ['ACTIVE', null, null, `${OPENED}: ${SOON}`],
    ['ACTIVE', null, 'HTTP_410', `${OPENED}: ${SOON}`],
    ['PAUSED', null, 'NO_SIGNING_SECRET', `the endpoint is PAUSED; when it was held, ${NO_KEY}: ${RESUME}`],
    ['PAUSED', null, 'UNREADABLE_HEADERS', `the endpoint is PAUSED; when it was held, ${SEALED}: ${RESUME}`],
    ['PAUSED', 'a night', null, `the endpoint is PAUSED, a night: ${RESUME}`],
    ['DISABLED', '410 Gone', 'HTTP_410', `the endpoint is DISABLED, 410 Gone: ${RESUME}`],
    ['DISABLED', 'x', 'NO_SIGNING_SECRET', `the endpoint is DISABLED, x; when it was held, ${NO_KEY}: ${RESUME}`],
    ['DISABLED', 'x', 'UNREADABLE_HEADERS', `the endpoint is DISABLED, x; when it was held, ${SEALED}: ${RESUME}`],
  ];
  for (const [status, statusReason, errorClass, why] of cases) {
    const endpoint = { id: 'e1', accountId: 'a1', status, statusReason };
    assert.equal(heldBecause({ errorClass }, endpoint), why, `${status} × ${errorClass}`);
  }
});

test('no command has a placeholder that a shell takes for a redirection', () => {
  for (const errorClass of ['NO_SIGNING_SECRET', 'UNREADABLE_HEADERS', null])
    for (const status of ['ACTIVE', 'PAUSED', 'DISABLED'] as const)
      assert.doesNotMatch(heldBecause({ errorClass }, { id: 'e', accountId: 'a', status, statusReason: null }), /[<>]/);
});
