import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldBecause } from './held.ts';

const NO_KEY =
  'the account has no key that can be used to sign: posthorn keys create signing --scope webhooks:manage --account a1';
const SEALED = 'the endpoint’s own headers cannot be read: posthorn endpoints update e1 --headers …';
type Obstacle = Parameters<typeof heldBecause>[0]['heldBy'][number];

test('all that keeps a delivery is told, each with the command that ends it', () => {
  const cases: [heldBy: Obstacle[], reason: string | null, why: string][] = [
    [[], null, 'of what has ended: it is sent within half a minute'],
    [['NO_SIGNING_SECRET'], null, NO_KEY],
    [['UNREADABLE_HEADERS'], null, SEALED],
    [['NO_SIGNING_SECRET', 'UNREADABLE_HEADERS'], null, `${NO_KEY}; ${SEALED}`],
    [['ENDPOINT_PAUSED'], 'a night', 'the endpoint is PAUSED, a night: posthorn endpoints resume e1'],
    [
      ['ENDPOINT_DISABLED', 'NO_SIGNING_SECRET', 'UNREADABLE_HEADERS'],
      null,
      `the endpoint is DISABLED: posthorn endpoints resume e1; ${NO_KEY}; ${SEALED}`,
    ],
  ];
  // Of a newer service, and of one that does not tell yet.
  cases.push([['ON_THE_MOON' as Obstacle, 'NO_SIGNING_SECRET'], null, `ON_THE_MOON; ${NO_KEY}`]);
  const older = {} as Parameters<typeof heldBecause>[0];
  assert.equal(heldBecause(older, { id: 'e1', accountId: 'a1', statusReason: null }), null);
  for (const [heldBy, statusReason, why] of cases) {
    const told = heldBecause({ heldBy }, { id: 'e1', accountId: 'a1', statusReason });
    assert.equal(told, why);
    assert.doesNotMatch(told ?? '', /[<>]/, 'a shell takes it for a redirection');
  }
});
