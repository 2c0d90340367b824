import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { parseConfig } from '../../platform/config/index.ts';
import type { IdempotencyClaim, Reply } from '../../platform/http/index.ts';
import { Ingest } from './ingest.ts';
import { MAX_BATCH } from './schemas.ts';
import { lastPosition, selectAfter } from './store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

const { db } = await withDatabase();
const clock = new ManualClock('2026-05-06T07:08:09.123Z');

const event = (name: string, id = uuidv7(systemClock.now())): NewEvent => ({
  id,
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId: name },
  accountIds: [],
  occurredAt: new Date(clock.now()),
  requestId: 'test-request',
  causedBy: null,
});

/** An ingest with the commits that it announced. */
function ingest(maxWaiting = 1000): { ingest: Ingest; commits: (readonly LoggedEvent[])[] } {
  const commits: (readonly LoggedEvent[])[] = [];
  return { commits, ingest: new Ingest({ db, clock, maxWaiting, onCommitted: (events) => commits.push(events) }) };
}

const names = async (after: number): Promise<unknown[]> =>
  (await selectAfter(db, after, 1000)).events.map((e) => e.data.tradeSessionId);

let claims = 0;
const keyed = (key = `key-${++claims}`): { claim: IdempotencyClaim; reply: Reply } => ({
  claim: { scope: 'key:1 POST /v1/events', key, requestHash: 'hash' },
  reply: { status: 202, body: { data: [] } },
});

test('what arrives together shares a commit; what arrives meanwhile shares the next; order is that of arrival', async () => {
  const before = await lastPosition(db);
  const { ingest: group, commits } = ingest();
  const first = ['a', 'b', 'c'].map((n) => group.add([event(n), event(`${n}2`)]));
  await Promise.race(first);
  const second = ['d', 'e'].map((n) => group.add([event(n)], keyed()));
  assert.deepEqual(await Promise.all([...first, ...second]), Array(5).fill('committed'));
  assert.deepEqual(
    commits.map((c) => c.length),
    [6, 2],
  );
  assert.deepEqual(await names(before), ['a', 'a2', 'b', 'b2', 'c', 'c2', 'd', 'e']);
  assert.equal(group.waiting, 0);
});

test('it resolves after the commit, not before', async () => {
  const before = await lastPosition(db);
  const { ingest: group } = ingest();
  await group.add([event('visible')]);
  assert.deepEqual(await names(before), ['visible']);
});

test('one request that the database refuses fails alone; its neighbours are kept', async () => {
  const before = await lastPosition(db);
  const { ingest: group, commits } = ingest();
  const taken = event('taken');
  await group.add([taken]);
  const outcomes = await Promise.allSettled([
    group.add([event('good 1')]),
    // A bug of ours would look like this: an id twice.
    group.add([event('not kept'), event('twice', taken.id)]),
    group.add([event('good 2')], keyed()),
    group.add([event('good 3')]),
  ]);
  assert.deepEqual(
    outcomes.map((o) => (o.status === 'fulfilled' ? o.value : (o.reason as { constraint: string }).constraint)),
    ['committed', 'events_id', 'committed', 'committed'],
  );
  assert.deepEqual(await names(before), ['taken', 'good 1', 'good 2', 'good 3']);
  assert.deepEqual(
    commits.flat().map((e) => e.data.tradeSessionId),
    ['taken', 'good 1', 'good 2', 'good 3'],
  );
  assert.equal(group.waiting, 0, 'what failed waits no longer');
});

test('an Idempotency-Key that another node has taken: duplicate, and nothing of it is kept', async () => {
  const before = await lastPosition(db);
  const [here, there] = [ingest(), ingest()];
  const key = keyed();
  assert.equal(await here.ingest.add([event('once')], key), 'committed');
  const outcomes = await Promise.all([
    there.ingest.add([event('twice')], { ...key, claim: { ...key.claim } }),
    there.ingest.add([event('other')], keyed()),
    there.ingest.add([event('without key')]),
  ]);
  assert.deepEqual(outcomes, ['duplicate', 'committed', 'committed']);
  assert.deepEqual(await names(before), ['once', 'other', 'without key']);
  assert.deepEqual(
    there.commits.flat().map((e) => e.data.tradeSessionId),
    ['other', 'without key'],
  );
  clock.advance(24 * 3600 * 1000);
  assert.equal(await there.ingest.add([event('a day later')], { ...key, claim: { ...key.claim } }), 'committed');
});

test('two nodes with the same key at once: one of them keeps its events', async () => {
  const before = await lastPosition(db);
  const nodes = [ingest(), ingest(), ingest()];
  const keys = Array.from({ length: 20 }, () => keyed());
  const outcomes = await Promise.all(
    nodes.flatMap((node, n) =>
      // Each in its own order, so that their commits would meet crosswise.
      keys
        .toSorted(() => (n === 0 ? 0 : n === 1 ? 1 : -1))
        .map(({ claim, reply }) => node.ingest.add([event(claim.key)], { claim: { ...claim }, reply })),
    ),
  );
  assert.equal(outcomes.filter((o) => o === 'committed').length, 20);
  assert.equal(outcomes.filter((o) => o === 'duplicate').length, 40);
  assert.deepEqual(new Set(await names(before)), new Set(keys.map((k) => k.claim.key)));
  assert.equal((await names(before)).length, 20);
});

test('more than may wait is refused at once and leaves no trace; what was taken is committed', async () => {
  const before = await lastPosition(db);
  const { ingest: group } = ingest(3);
  const taken = [group.add([event('1'), event('2')]), group.add([event('3')])];
  assert.throws(
    () => group.add([event('4')]),
    (e: { code: string; headers: Record<string, string> }) =>
      e.code === 'UNAVAILABLE' && e.headers['retry-after'] === '1',
  );
  assert.equal(group.waiting, 3);
  await Promise.all(taken);
  assert.deepEqual(await names(before), ['1', '2', '3']);
  await group.add([event('5')]);
});

test('the setting leaves room for the largest batch, or is refused at the start', async () => {
  const { EVENTS_BACKLOG_MAX } = parseConfig({ EVENTS_BACKLOG_MAX: String(MAX_BATCH) });
  const { ingest: group } = ingest(EVENTS_BACKLOG_MAX);
  assert.equal(await group.add(Array.from({ length: MAX_BATCH }, (_, n) => event(`of many ${n}`))), 'committed');
  assert.throws(
    () => parseConfig({ EVENTS_BACKLOG_MAX: String(MAX_BATCH - 1) }),
    /EVENTS_BACKLOG_MAX must be .* from 500/,
  );
});

test('drain resolves when everything that was taken is committed', async () => {
  const before = await lastPosition(db);
  const { ingest: group } = ingest();
  let done = 0;
  for (let i = 0; i < 5; i++) void group.add([event(`${i}`)]).then(() => done++);
  await group.drain();
  assert.equal((await names(before)).length, 5);
  assert.equal(done, 5);
  await group.drain();
});

test('more than one statement takes is committed in several, in order', async () => {
  const before = await lastPosition(db);
  const { ingest: group, commits } = ingest(100_000);
  const requests = Array.from({ length: 7 }, (_, r) => Array.from({ length: 450 }, (_, i) => event(`${r}/${i}`)));
  await Promise.all(requests.map((r) => group.add(r)));
  assert.ok(commits.length > 1 && commits.every((c) => c.length <= 1350), String(commits.map((c) => c.length)));
  const { events: kept } = await selectAfter(db, before, 10_000);
  assert.deepEqual(
    kept.map((e) => e.data.tradeSessionId),
    requests.flat().map((e) => e.data.tradeSessionId),
  );
});
