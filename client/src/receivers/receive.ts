import type { WebhookEvent } from '../generated.ts';
import type { RawBody } from '../webhooks/sign.ts';
import { type VerifyOptions, verify, WebhookVerificationError } from '../webhooks/verify.ts';
import type { SeenEvents } from './seen-events.ts';

/** What the headers say about a delivery. */
export interface DeliveryInfo {
  /** The same on every attempt and replay of an event. */
  eventId: string;
  deliveryId: string;
  /** 1 to 5. */
  attempt: number;
  isReplay: boolean;
  /** An invented example that somebody asked for to try the endpoint: do nothing of weight for it. */
  isTest: boolean;
}

export interface ReceiverOptions extends Pick<VerifyOptions, 'toleranceSeconds'> {
  /** The signing secret of the account; both while it is being rotated. */
  secret: string | readonly string[];
  /**
   * Does what the event asks for, within the 15 seconds that the service waits: put longer work into a queue. If it
   * throws, the service tries again later.
   */
  handle: (event: WebhookEvent, delivery: DeliveryInfo) => Promise<void> | void;
  /**
   * What was handled before is not handled again: of a trade each event of each side once, however often it was published;
   * else each event. Default: nothing is remembered, and `handle` must not mind.
   */
  seen?: SeenEvents;
  /** Told of what was refused or went wrong. Default: what went wrong, such as what `handle` throws, is written to the console. */
  onError?(error: unknown): void;
}

/** A request as any framework has it. */
export interface Incoming {
  rawBody: RawBody;
  header: (name: string) => string | null | undefined;
}

/** What to answer: any status below 300 ends the delivery. */
export interface Outgoing {
  status: 200 | 400 | 409 | 500;
  text: string;
}

const deliveryOf = ({ header }: Incoming): DeliveryInfo => ({
  eventId: header('x-service-event-id') ?? '',
  deliveryId: header('x-service-delivery-id') ?? '',
  attempt: Number(header('x-service-attempt') ?? 1),
  isReplay: header('x-service-replay') === 'true',
  isTest: header('x-service-test') === 'true',
});

/**
 * What is the same in all that says the same: the trade together with the event's name (interface.md, section 6.6), and the side and the
 * merchant, since each has its own `checkout.started` or `reservation.created`. All of that is signed. Outside of trades it is the event, together with the name: one may cause two
 * webhooks. Null where the header is not there.
 */
function keyOf(event: WebhookEvent, { eventId }: DeliveryInfo): string | null {
  const {
    tradeSessionId,
    side = null,
    merchantAccountId = null,
  } = event as {
    tradeSessionId?: unknown;
    side?: unknown;
    merchantAccountId?: unknown;
  };
  if (typeof tradeSessionId === 'string') return JSON.stringify([tradeSessionId, side, merchantAccountId, event.event]);
  return eventId === '' ? null : `${eventId} ${event.event}`;
}

async function handleOnce(options: ReceiverOptions, event: WebhookEvent, delivery: DeliveryInfo): Promise<Outgoing> {
  const { seen, handle } = options;
  const key = keyOf(event, delivery);
  const state = seen && key !== null ? await seen.begin(key) : 'new';
  if (state === 'done') return { status: 200, text: 'handled before' };
  if (state === 'busy') return { status: 409, text: 'is being handled' };
  try {
    await handle(event, delivery);
  } catch (error) {
    // A store that fails too does not hide what went wrong first.
    try {
      if (key !== null) await seen?.failed(key);
    } catch (storeError) {
      report(options, storeError);
    }
    throw error;
  }
  if (key !== null) await seen?.done(key);
  return { status: 200, text: 'ok' };
}

/** Tells of what was refused or went wrong. What anybody can send is no line in a log that nobody asked for. */
export function report(options: ReceiverOptions, error: unknown): void {
  if (options.onError) options.onError(error);
  // oxlint-disable-next-line no-console -- where a runtime shows what nobody caught; a library has no other log
  else if (!(error instanceof WebhookVerificationError)) console.error(error);
}

/** Verifies, deduplicates and handles one request. Never rejects: what went wrong is the answer, and given to `onError`. */
export async function receive(options: ReceiverOptions, request: Incoming): Promise<Outgoing> {
  try {
    const header = request.header('x-service-signature');
    const event = await verify(request.rawBody, header, options.secret, options);
    return await handleOnce(options, event, deliveryOf(request));
  } catch (error) {
    report(options, error);
    return error instanceof WebhookVerificationError
      ? { status: 400, text: error.message }
      : { status: 500, text: 'could not be handled' };
  }
}
