import { EVENTS, type InternalEvent } from '../../src/contracts/events/index.ts';
import { ManualClock, systemClock } from '../../src/lib/clock.ts';
import { TestNode } from '../../test/helpers/engine.ts';
import { type IssuedKey, type SignedIn, type TestService, testService } from '../../test/helpers/service.ts';

/** A service with its loops, whose clock is in the test's hand, and somebody who publishes events. */
export class Marketplace {
  readonly service: TestService;
  readonly clock: ManualClock;
  readonly node: TestNode;
  readonly #publisher: IssuedKey;

  private constructor(service: TestService, clock: ManualClock, publisher: IssuedKey) {
    this.service = service;
    this.clock = clock;
    this.node = new TestNode(service, clock);
    this.#publisher = publisher;
  }

  static async open(): Promise<Marketplace> {
    const clock = new ManualClock(systemClock.now());
    const service = await testService({ clock, random: () => 0.5 });
    const platform = await service.account('PLATFORM');
    return new Marketplace(service, clock, await service.key(['events:publish'], platform));
  }

  /** A new account of this name. */
  async account(name: string, type: 'MERCHANT' | 'BUSINESS'): Promise<string> {
    const client = await this.service.operatorClient();
    return (await client.createAccount({ body: { name, type } })).id;
  }

  /** A new user who acts for these accounts. */
  async member(...accounts: readonly string[]): Promise<SignedIn> {
    const [user, client] = [await this.service.user(), await this.service.operatorClient()];
    for (const id of accounts) await client.addMember({ id, userId: user.id });
    return user;
  }

  /** Publishes the catalogue's example of an event, with changes, to an account; its id. */
  async publish(event: InternalEvent, accountId: string, change: Record<string, unknown> = {}): Promise<string> {
    const body = { event, data: { ...EVENTS[event].example, ...change }, accountIds: [accountId] };
    const { data } = await this.service.client(this.#publisher.key).publishEvents({ body });
    return data[0]?.id ?? '';
  }
}
