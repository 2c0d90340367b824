import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { sign } from './sign.ts';
import { verify, verifyStandard, WebhookVerificationError } from './verify.ts';

interface Vector {
  name: string;
  genuine: boolean;
  now: number;
  secrets: string[];
  headers: Record<string, string>;
  bodyBase64: string;
}

const file = new URL('../../../docs/signature-vectors.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = JSON.stringify({ event: 'offer.created', offerId: 'o-1', note: 'Ärger 🎉' });
const AT = 1_800_000_000;
const options = { now: AT * 1000 };

/**
 * Whether it is believed; a genuine body that is no event is. Any other error than the one that is promised fails the test.
 */
async function isBelieved(verification: Promise<unknown>): Promise<boolean> {
  try {
    await verification;
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    return error.fault === 'MALFORMED_BODY';
  }
}

test(`what the service says of its ${vectors.length} vectors is found of each`, async () => {
  for (const { name, genuine, now, secrets, headers, bodyBase64 } of vectors) {
    const body = Buffer.from(bodyBase64, 'base64');
    const at = { now: now * 1000 };
    assert.equal(await isBelieved(verify(body, headers['X-Service-Signature'], secrets, at)), genuine, name);
    if (headers['webhook-id'] === undefined || headers['webhook-signature'] === undefined) continue;
    if (genuine) assert.ok(await isBelieved(verifyStandard(body, headers, secrets, at)), name);
  }
});

test('what is signed here Stripe believes, and what Standard Webhooks signs is believed here', async () => {
  const header = await sign(BODY, SECRET, { timestamp: AT });
  const stripe = new Stripe('sk_test_none');
  assert.ok(stripe.webhooks.constructEvent(BODY, header, SECRET, 300, undefined, AT * 1000));
  const theirs = stripe.webhooks.generateTestHeaderString({ payload: BODY, secret: SECRET, timestamp: AT });
  assert.deepEqual(await verify(BODY, theirs, SECRET, options), JSON.parse(BODY));

  const standard = {
    'webhook-id': 'e-1',
    'webhook-timestamp': String(AT),
    'webhook-signature': new Webhook(SECRET).sign('e-1', new Date(AT * 1000), BODY),
  };
  assert.deepEqual(await verifyStandard(BODY, standard, SECRET, options), JSON.parse(BODY));
  assert.equal(await isBelieved(verifyStandard(`${BODY} `, standard, SECRET, options)), false);
});

test('as many secrets as an account may have, each being replaced, are no odd header', async () => {
  const parts = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => (await sign(BODY, `${SECRET}${i}`, { timestamp: AT })).split(',')[1]),
  );
  const [time, own] = (await sign(BODY, SECRET, { timestamp: AT })).split(',');
  assert.deepEqual(await verify(BODY, [time, ...parts, own].join(','), SECRET, { now: AT * 1000 }), JSON.parse(BODY));
});

test('each fault is named', async () => {
  const good = await sign(BODY, SECRET, { timestamp: AT });
  const faultOf = async (
    body: string,
    header: string | null | undefined,
    secret: string | string[] = SECRET,
    now = AT,
  ) =>
    verify(body, header, secret, { now: now * 1000 }).then(
      () => null,
      (error: WebhookVerificationError) => error.fault,
    );
  assert.equal(await faultOf(BODY, good), null);
  assert.equal(await faultOf(BODY, good, ['whsec_other', SECRET]), null, 'one of several secrets');
  assert.equal(await faultOf(BODY, null), 'MISSING_HEADER');
  assert.equal(await faultOf(BODY, ''), 'MISSING_HEADER');
  assert.equal(await faultOf(BODY, 'v1=00'), 'MALFORMED_HEADER');
  assert.equal(await faultOf(BODY, `${good},t=${AT}`), 'MALFORMED_HEADER', 'two times are one too many');
  assert.equal(await faultOf(BODY, good, SECRET, AT + 300), null);
  assert.equal(await faultOf(BODY, good, SECRET, AT + 301), 'OUTSIDE_TOLERANCE');
  assert.equal(await faultOf(BODY, good, SECRET, AT - 301), 'OUTSIDE_TOLERANCE');
  assert.equal(await faultOf(`${BODY} `, good), 'WRONG_SIGNATURE');
  assert.equal(await faultOf(BODY, good, ''), 'WRONG_SIGNATURE', 'no secret believes nothing');
  assert.equal(await faultOf(BODY, good, []), 'WRONG_SIGNATURE');
  // Both are mistakes of who wrote the receiver, and told as such.
  await assert.rejects(verify(BODY, good, '', options), /no secret to check the signature with/);
  const parsed = JSON.parse(BODY) as unknown as string;
  await assert.rejects(verify(parsed, good, SECRET, options), { fault: 'WRONG_SIGNATURE', message: /as it came in/ });
  assert.equal(await faultOf('[1]', await sign('[1]', SECRET, { timestamp: AT })), 'MALFORMED_BODY');
});

test('no flipped bit and no odd header is believed, or throws anything else', async () => {
  const good = await sign(BODY, SECRET, { timestamp: AT });
  const bytes = Buffer.from(BODY);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      assert.equal(await isBelieved(verify(changed, good, SECRET, options)), false);
    }),
    { numRuns: 200 },
  );
  const signature = good.slice(good.indexOf('v1=') + 3);
  await fc.assert(
    fc.asyncProperty(fc.nat(63), fc.constantFrom(...Array.from('0123456789abcdef')), async (at, digit) => {
      const changed = signature.slice(0, at) + digit + signature.slice(at + 1);
      const believed = await isBelieved(verify(BODY, `t=${AT},v1=${changed}`, SECRET, options));
      assert.equal(believed, changed === signature);
    }),
    { numRuns: 200 },
  );
  const odd = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string().map((s) => `t=${AT},v1=${s}`),
    fc.string().map((s) => `t=${s},v1=${signature}`),
    fc.nat(20_000).map((n) => `t=${AT}${`,v1=${'0'.repeat(64)}`.repeat(n % 300)}`),
    fc.constantFrom(
      `t=${AT}`,
      `t=${AT},v1=`,
      `t=NaN,v1=${signature}`,
      `t=1e10,v1=${signature}`,
      `t=-1,v1=${signature}`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(odd, async (header) =>
      assert.equal(await isBelieved(verify(BODY, header, SECRET, options)), false),
    ),
    { numRuns: 500 },
  );
});
