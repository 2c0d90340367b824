import { sql } from 'kysely';
import { EVENTS } from '../../src/contracts/events/index.ts';
import type { SignedIn } from '../../test/helpers/service.ts';
import { startReceiver } from '../../test/helpers/receiver.ts';
import { WAITS } from '../../test/helpers/schedule.ts';
import { Trading } from '../../test/helpers/trading.ts';
import { until } from '../../test/helpers/engine.ts';
import { Marketplace } from './marketplace.ts';

/** What would run if a page took a text for HTML: it leaves a mark in the window. Then what turns texts around, and long ones. */
export const HOSTILE =
  '<script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"> javascript:window.pwned=1 \u202egnihton 𝒯 ]]>';
/** The same in what takes no control characters. */
const NAME = '<img src=x onerror="window.pwned=1">';
/** A word that nothing breaks by itself, as addresses with a token in them have. */
const UNBROKEN = 'w'.repeat(160);

interface Sample {
  marketplace: Marketplace;
  /** Acts for the merchant and the business. */
  member: SignedIn;
  operator: SignedIn;
  /** Addresses within the dashboard, by what they show. */
  memberPages: readonly (readonly [name: string, path: string])[];
  operatorPages: readonly (readonly [name: string, path: string])[];
}

/** Things of every kind, with hostile texts wherever somebody else's text is taken; and the pages that show them. */
export async function samplePages(): Promise<Sample> {
  const marketplace = await Marketplace.open();
  const { node, service, clock } = marketplace;
  const trading = await Trading.open(node);
  const { left, platform } = trading;
  const operator = await service.user({ operator: true });
  const rooms = await marketplace.account(`${NAME}${UNBROKEN.slice(0, 60)}`, 'BUSINESS');
  const member = await marketplace.member(left.id, rooms);
  await service.key(['webhooks:manage'], rooms);
  const key = await service.key(['blog:read'], left.id);
  await sql`update api_keys set name = ${NAME} where id = ${key.id}`.execute(node.db);

  const trade = await trading.open();
  await trading.accept(trade);
  await trading.report(left, 'item.reserved', trade, 'INITIATOR');
  await trading.report(left, 'payment.completed', trade, 'INITIATOR');
  await trading.send(left, `{"event": "${HOSTILE.replaceAll('"', "'")}", "side": "INITIATOR"}`);
  await trading.send(left, HOSTILE);
  await trading.settle();

  // One that breaks, with a reply that is meant for whoever looks.
  const broken = await startReceiver(() => ({
    status: 500,
    headers: { 'content-type': 'text/html', 'x-hostile': NAME },
    body: HOSTILE,
  }));
  const { id: endpoint } = await node.endpoint(left, broken.url(`/<b>${UNBROKEN}`), {
    description: `${HOSTILE} ${UNBROKEN}`,
    events: ['listing.updated'],
    headers: { 'X-Tenant': 'lamps' },
  });
  const { example } = EVENTS['listing.updated'];
  const event = await trading.publish('listing.updated', { ...example, title: HOSTILE }, [left]);
  // This one stays a dead letter.
  await trading.publish('listing.updated', example, [left]);
  for (const [i, wait] of WAITS.entries()) {
    // Only then is its next attempt known, which is counted from the time of its writing.
    await attempted(marketplace, platform.key, endpoint, i + 1);
    clock.advance(wait + 1000);
  }
  const dead = await attempted(marketplace, platform.key, endpoint, 5);
  await trading.publish('listing.updated', example, [left]);
  const acting = await service.operatorClient();
  const subscription = await acting.createBusinessSubscription({
    accountId: rooms,
    body: { url: left.receiver.url('/rooms') },
  });
  const reports = await acting.listReports();
  const refused = reports.data.find(({ verdict }) => verdict === 'REFUSED')?.id ?? '';
  await acting.discardDelivery({ id: dead, body: { reason: HOSTILE } });
  await acting.replayDeliveries({ body: { filter: { status: 'DISCARDED', endpointId: endpoint } } });
  // The endpoint that breaks has not subscribed to this one.
  const { example: offered } = EVENTS['offer.created'];
  const unsent = await trading.publish('offer.created', { ...offered, offerId: 'off_unsent' }, [left]);
  const open = await trading.open();
  await trading.accept(open);
  // Both who act are told of something, by ids of the marketplace.
  for (const [i, to] of [member, operator].entries()) {
    const counterparty = { ...offered.counterparty, userId: to.id };
    await trading.publish('offer.created', { ...offered, offerId: `${i}${NAME.replaceAll(' ', '/')}`, counterparty }, [
      left,
    ]);
    await trading.publish('trade.created', { ...EVENTS['trade.created'].example, counterparty }, []);
  }
  const [a, all] = [`/a/${left.id}`, '/a/all'];
  return {
    marketplace,
    member,
    operator,
    memberPages: [
      ['overview', `${a}/overview`],
      ['endpoints', `${a}/endpoints`],
      ['endpoint', `${a}/endpoints/${endpoint}`],
      ['subscriptions', `/a/${rooms}/subscriptions`],
      ['subscription', `/a/${rooms}/subscriptions/${subscription.id}`],
      ['deliveries', `${a}/deliveries`],
      ['deliveries-none', `${a}/deliveries?trade=nothing`],
      ['delivery', `${a}/deliveries/${dead}`],
      ['dead-letters', `${a}/dead-letters`],
      ['catalogue', `${a}/catalogue?event=offer.created`],
      ['keys', `${a}/keys`],
      ['changes', `${a}/changes`],
      ['trades', `${a}/trades`],
      ['trade', `${a}/trades/${trade}`],
      ['inbound', `${a}/inbound`],
      ['report', `${a}/inbound/${refused}`],
      ['events', `${a}/events`],
      ['event', `${a}/events/${event}`],
      ['unsent-event', `${a}/events/${unsent}`],
      ['notifications', '/notifications'],
    ],
    operatorPages: [
      ['all-overview', `${all}/overview?span=week`],
      ['all-endpoints', `${all}/endpoints`],
      ['all-dead-letters', `${all}/dead-letters`],
      ['all-deliveries', `${all}/deliveries`],
      ['all-trades', `${all}/trades`],
      ['all-inbound', `${all}/inbound`],
      ['all-subscriptions', `${all}/subscriptions`],
      ['all-trade', `${all}/trades/${trade}`],
      ['open-trade', `${all}/trades/${open}`],
      ['accounts', '/operators/accounts'],
      ['account', `/operators/accounts/${rooms}`],
      ['users', '/operators/users'],
      ['user', `/operators/users/${member.id}`],
      ['all-keys', '/operators/keys'],
      ['all-changes', '/operators/changes'],
      ['readers', '/operators/readers'],
      ['reader', '/operators/readers/notifications'],
      ['system', '/operators/system'],
      ['operator-notifications', '/notifications'],
    ],
  };
}

/** Waits until every delivery of an endpoint has so many attempts; the id of the oldest. */
async function attempted({ node }: Marketplace, key: string, endpointId: string, attempts: number): Promise<string> {
  let id = '';
  await until(`attempt ${attempts}`, async () => {
    const { data } = await node.client(key).listDeliveries({ endpointId });
    id = data.at(-1)?.id ?? '';
    return data.length > 0 && data.every((each) => each.attempts === attempts);
  });
  return id;
}
