import { type Case, given } from './case.ts';
import { type Tenant, type TestNode, until } from './engine.ts';

const MINUTE = 60_000;

/** An endpoint that was disabled after five days of failures; `answer` is what its receiver says. */
export async function disabledEndpoint(node: TestNode, publisher: Tenant, answer: () => number): Promise<Case> {
  const { clock } = node;
  const c = await given(node, answer);
  const fail = async (): Promise<void> => {
    await node.publish(publisher, [c.tenant], [{ event: 'offer.created' }]);
    await node.work();
  };
  await fail();
  clock.advance(2 * MINUTE);
  await node.keepUp();
  clock.advance(120 * 60 * MINUTE);
  await fail();
  await until('it is disabled', async () => (await c.endpointNow()).status === 'DISABLED');
  return c;
}
