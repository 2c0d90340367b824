const ITEM = { listingId: 'lst_5f0e7b7c52d54a2f', price: 149.9, quantity: 1 };
const SIDE = { userId: 'usr_5f0e7b7c52d54a2f', originalPrice: 149.9, tradeAmount: 29.9 };
const ACCOUNT = '01a1fe0a-25f9-71ec-aa5f-88211f1d1190';

const event = (name: string, data: object): string => `"event":"${name}","data":${JSON.stringify(data)}`;

/** A small event: 0.2 kB. @@ stands for the id of its subject, here and below. */
export const SMALL = event('checkout.started', {
  tradeSessionId: '@@',
  side: 'INITIATOR',
  originalPrice: 149.9,
  tradeAmount: 29.9,
  currency: 'EUR',
});

/** An offer whose body has about so many bytes, most of them of its items; 7 kB is near the most that an event has. */
export function offerOf(bytes: number): string {
  const side = (items: number): object => ({
    ...SIDE,
    merchantAccountId: ACCOUNT,
    items: Array.from({ length: items }, () => ({ ...ITEM, merchantAccountId: ACCOUNT })),
  });
  const offer = (items: number): string =>
    event('offer.created', {
      offerId: '@@',
      initiator: side(Math.ceil(items / 2)),
      counterparty: side(Math.floor(items / 2)),
      currency: 'EUR',
    });
  const each = JSON.stringify({ ...ITEM, merchantAccountId: ACCOUNT }).length + 1;
  return offer(Math.max(0, Math.min(100, Math.round((bytes - offer(0).length) / each))));
}
