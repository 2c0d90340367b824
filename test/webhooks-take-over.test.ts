import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from './helpers/database.ts';
import { startNode, type TestNode, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const MINUTE = 60_000;
const database = await withDatabase();
const settings = { SHUTDOWN_SECONDS: '1', FANOUT_PARTITIONS: '2' };
/** Publishes and manages; its loops never run, so it holds nothing. */
const front = await startNode({ database });
const { clock } = front;
const publisher = await front.tenant('PLATFORM');

const partsOf = (node: TestNode): number => node.engine.fanOut.parts.length;

test('who takes a part over looks at once for what the one before left, though it has just found nothing', async () => {
  const a = await startNode({ database, clock, settings });
  const b = await startNode({ database, clock, settings });
  await until('each holds a part', async () => {
    for (const node of [a, b]) await node.fanOut();
    return partsOf(a) === 1 && partsOf(b) === 1;
  });
  const receiver = await startReceiver(() => 500);
  let tenant = await front.tenant();
  while (!a.engine.fanOut.maySendTo(tenant.id)) tenant = await front.tenant();
  await front.endpoint(tenant, receiver.url());
  assert.equal(await b.engine.claims.step(true), false, 'there is nothing');

  await front.publish(publisher, [tenant]);
  await a.fanOut();
  await a.quiet();
  assert.equal(receiver.received.length, 1, 'it is to be tried again');
  let words = 0;
  b.engine.loops.find(({ name }) => name === 'webhook-claims')?.attach?.(() => words++);
  await a.service.stop();
  clock.advance(10 * MINUTE);
  receiver.script = () => 200;
  await until('the other holds both parts', async () => (await b.fanOut(), partsOf(b) === 2));
  assert.ok(words > 0, 'nobody else says that there is something');
  assert.equal(await b.engine.claims.step(true), true, 'nor does a poll pass it over');
  await b.quiet();
  assert.equal(receiver.received.length, 2);
});
