import { Stripe } from 'stripe';
import { withDatabase } from './database.ts';
import { startNode, type TestNode } from './engine.ts';
import type { Received } from './receiver.ts';

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Before the second to the fifth attempt (contract: 2.5 min × 8^n), without jitter. Milliseconds. */
export const WAITS = [2.5 * MINUTE, 20 * MINUTE, 2 * HOUR + 40 * MINUTE, 21 * HOUR + 20 * MINUTE] as const;

/** A node without jitter that waits so long for an answer, at a whole second: signatures hold no smaller part of it. */
export async function startScheduled(timeoutSeconds = 1): Promise<TestNode> {
  const settings = { WEBHOOK_TIMEOUT_SECONDS: String(timeoutSeconds) };
  const node = await startNode({ database: await withDatabase(), settings });
  const { clock } = node;
  clock.set(Math.ceil(clock.now() / 1000) * 1000);
  return node;
}

const stripe = new Stripe('sk_test_none');

/** What Stripe's library makes of a request at this time; throws when the signature does not hold. Milliseconds. */
export const verifiedByStripe = ({ body, headers }: Received, secret: string, at: number): Stripe.Event =>
  stripe.webhooks.constructEvent(body, headers['x-service-signature'] ?? '', secret, 300, undefined, at);
