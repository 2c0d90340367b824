import assert from 'node:assert/strict';
import { type Answered, deliveriesOf, type StoredDelivery, type Tenant, type TestNode } from './engine.ts';
import { type Receiver, type Script, startReceiver } from './receiver.ts';

/** An account with one endpoint at a receiver of its own. */
export class Case {
  readonly #node: TestNode;
  readonly tenant: Tenant;
  readonly receiver: Receiver;
  readonly endpoint: { id: string };

  constructor(node: TestNode, tenant: Tenant, receiver: Receiver, endpoint: { id: string }) {
    this.#node = node;
    this.tenant = tenant;
    this.receiver = receiver;
    this.endpoint = endpoint;
  }

  /** The endpoint's deliveries as they are stored now. */
  stored(): Promise<StoredDelivery[]> {
    return deliveriesOf(this.#node.db, this.endpoint.id);
  }

  /** The same of its only delivery. */
  async one(): Promise<StoredDelivery> {
    const [only, second] = await this.stored();
    assert.ok(only && !second, 'there is one delivery');
    return only;
  }

  async statuses(): Promise<string[]> {
    return (await this.stored()).map((d) => d.status);
  }

  /** An action under /v1/webhooks, by the account. */
  post(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.#node.call('POST', `/v1/webhooks/${path}`, { key: this.tenant.key, headers });
  }

  /** The endpoint as the API shows it now. */
  endpointNow(): Promise<{ status: string; statusReason: string; isProbing: boolean }> {
    return this.#node.ok(200, 'GET', `/v1/webhooks/endpoints/${this.endpoint.id}`, { key: this.tenant.key });
  }
}

/** An account with one endpoint at a receiver that does as the script says. */
export async function given(node: TestNode, script: Script, more: Record<string, unknown> = {}): Promise<Case> {
  const receiver = await startReceiver(script);
  const tenant = await node.tenant();
  return new Case(node, tenant, receiver, await node.endpoint(tenant, receiver.url(), more));
}
