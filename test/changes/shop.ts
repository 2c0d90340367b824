import type { Operations } from '../../client/src/index.ts';
import { testService } from '../helpers/service.ts';

export type Change = NonNullable<Operations['listChanges']['item']>;

/** Where something is sent to. */
export const url = 'https://shop.example/hooks';

/** What a change is told by: who and what by their names. */
export const told = ({ action, actor, account, thing, before, after }: Change) => ({
  action,
  by: actor.name,
  account: account?.name ?? null,
  thing: `${thing.kind} ${thing.name}`,
  before,
  after,
});

/** A service with a merchant "Shop", a business "Rooms", a key of each, and a member of the shop. */
export async function openShop() {
  const service = await testService({ withoutLoops: true });
  const operator = await service.operatorClient();
  const me = (await operator.getMe()).user;
  const { id: accountId } = await operator.createAccount({ body: { name: 'Shop', type: 'MERCHANT' } });
  const { id: businessId } = await operator.createAccount({ body: { name: 'Rooms', type: 'BUSINESS' } });
  const member = await service.user();
  await operator.addMember({ id: accountId, userId: member.id });
  const merchantKey = await service.key(['webhooks:manage'], accountId);
  const businessKey = await service.key(['webhooks:manage'], businessId);
  const all = (): Promise<Change[]> => Array.fromAsync(operator.listChanges({ limit: 100 }));
  return {
    service,
    db: service.service.opened.platform.db,
    operator,
    me,
    accountId,
    businessId,
    member: service.client(member.token),
    merchantKey,
    businessKey,
    all,
    /** The changes that a call makes, oldest first. */
    changesOf: async (call: () => Promise<unknown>): Promise<ReturnType<typeof told>[]> => {
      const { length } = await all();
      await call();
      return (await all()).toReversed().slice(length).map(told);
    },
    newUser: async () => {
      const { id, token } = await service.user();
      return { id, token, name: (await operator.getUser({ id })).name };
    },
    key: () => operator.createApiKey({ body: { accountId, name: 'Reading', scopes: ['blog:read'] } }),
    endpoint: (body: object = {}) => service.client(merchantKey.key).createEndpoint({ body: { url, ...body } }),
    subscription: () => service.client(businessKey.key).createBusinessSubscription({ body: { url } }),
  };
}
