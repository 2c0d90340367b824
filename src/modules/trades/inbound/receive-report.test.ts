import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type TestNode } from '../../../../test/helpers/engine.ts';
import { createPublishAll } from '../../events/index.ts';
import { receiveReport } from './receive-report.ts';
import { ReportLog } from './report-log.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** What is right. Milliseconds; a whole second, as signatures have it. */
const RIGHT = 1_800_000_000_000;

describe('reports at a node whose clock may be wrong', async () => {
  const database = await withDatabase();
  let node: TestNode;
  before(async () => {
    node = await startNode({ database });
  });

  interface Told {
    /** What the node's clock says. */
    node: number;
    signed: number;
    occurred?: number;
    /** What the signature is over; default: what is sent. */
    over?: string;
  }

  /** The refusal of a report of a trade that there is not, and how often the database was asked for the time. Its clock is right. */
  async function refusal({ node: now, signed, occurred, over }: Told): Promise<[string, number]> {
    const { newId } = node.service.opened.platform;
    const key = createSecretKey(randomBytes(32));
    const body = {
      event: 'payment.completed',
      tradeSessionId: 'ts-none',
      side: 'INITIATOR',
      ...(occurred === undefined ? {} : { occurredAt: new Date(occurred).toISOString() }),
    };
    const rawBody = JSON.stringify(body);
    const t = Math.floor(signed / 1000);
    const signature = `t=${t},v1=${createHmac('sha256', key)
      .update(`${t}.${over ?? rawBody}`)
      .digest('hex')}`;
    let asked = 0;
    const deps = {
      publishAll: createPublishAll(() => undefined),
      times: { holdMs: DAY, reservationMs: DAY },
      latestTime: async () => now,
      cipher: node.service.opened.platform.cipher,
      secretsOf: async () => [{ keyId: newId(), secret: '', key, rawKey: key, expiresAt: null }],
      ownClock: { now: () => (asked++, RIGHT) },
      bodyLimit: 1e6,
      log: new ReportLog(),
    };
    const received = { accountId: newId(), rawBody, body, signature, contentType: 'application/json' };
    const env = { ...node.env, now: new Date(now) };
    const told = await receiveReport(deps, node.db, { received, claim: undefined }, env).then(
      (reply) => (reply.body as { error: { code: string } }).error.code,
      (error: { code: string; message: string }) =>
        /window|wrong signature|future/.exec(error.message)?.[0] ?? `${error.code} ${error.message}`,
    );
    return [told, asked];
  }

  test('the database is asked where that clock refuses what is of now, and nowhere else', async () => {
    assert.deepEqual(await refusal({ node: RIGHT, signed: RIGHT, occurred: RIGHT }), ['NOT_FOUND', 0]);
    for (const wrong of [RIGHT - DAY, RIGHT + DAY, RIGHT - 6 * MINUTE, RIGHT + 6 * MINUTE]) {
      assert.deepEqual(await refusal({ node: wrong, signed: RIGHT, occurred: RIGHT }), ['NOT_FOUND', 1]);
    }
    // The signature is within the node's window, what happened is not.
    const behind = RIGHT - 4 * MINUTE;
    assert.deepEqual(await refusal({ node: behind, signed: RIGHT, occurred: RIGHT + 4 * MINUTE }), ['NOT_FOUND', 1]);
    assert.deepEqual(await refusal({ node: RIGHT, signed: RIGHT, over: 'other' }), ['wrong signature', 0]);
  });

  test('what is not of now by the database is refused, whatever the clock of the node would let pass besides', async () => {
    for (const now of [RIGHT, RIGHT - DAY, RIGHT + DAY]) {
      for (const away of [-5 * MINUTE - 1000, 5 * MINUTE + 1000]) {
        assert.deepEqual(await refusal({ node: now, signed: RIGHT + away }), ['window', 1]);
      }
      const told = await refusal({ node: now, signed: RIGHT, occurred: RIGHT + 5 * MINUTE + 1 });
      assert.deepEqual(told, ['future', 1]);
    }
    // Once the database has been asked its clock judges all: the signature, too, which the node's would take.
    const ahead = RIGHT + 6 * MINUTE;
    assert.deepEqual(await refusal({ node: ahead, signed: ahead, occurred: ahead + DAY }), ['window', 1]);
    assert.deepEqual(await refusal({ node: RIGHT - DAY, signed: RIGHT, over: 'other' }), ['wrong signature', 1]);
  });
});
