import type { NatsConnection } from '@nats-io/transport-node';
import type { Config } from '../../platform/config/index.ts';
import { natsServersOf } from '../../platform/nats/servers.ts';
import { messageOf, TIMEOUT_MS } from './check-servers.ts';
import { fail, type Finding, ok } from './finding.ts';

const WHAT = 'NATS';

type Settings = Pick<Config, 'NATS_URL' | 'NATS_STREAM' | 'DATABASE_URL' | 'WEBHOOK_DISPATCH'>;

/** What the user needs a right to, with subjects of it that nobody hears and no request of which can be carried out. */
interface Right {
  subject: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

const WAKE: Right = {
  subject: 'posthorn.wake.>',
  publish: ['posthorn.wake.doctor'],
  subscribe: ['posthorn.wake.doctor'],
};

/** Requests without a body and without a place for the answer: the server refuses those that would make something. */
const rightsOfQueue = (name: string): readonly Right[] => [
  { subject: `${name}.>`, publish: [`${name}.node.doctor`], subscribe: [`${name}.all`, `${name}.node.doctor`] },
  {
    subject: '$JS.API.>',
    publish: [
      `$JS.API.STREAM.INFO.${name}`,
      `$JS.API.STREAM.CREATE.${name}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${name}.workers`,
    ],
    subscribe: [],
  },
  { subject: '$JS.ACK.>', publish: [`$JS.ACK.${name}.workers`], subscribe: [] },
  { subject: '_INBOX.>', publish: [], subscribe: ['_INBOX.doctor'] },
];

/** What its server has refused on a connection, as `publish to x`; known once the connection is closed. */
async function refusals(connection: NatsConnection): Promise<ReadonlySet<string>> {
  const { PermissionViolationError } = await import('@nats-io/transport-node');
  const refused = new Set<string>();
  for await (const status of connection.status()) {
    if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
    const { operation, subject } = status.error;
    refused.add(`${operation === 'publish' ? 'publish' : 'subscribe'} to ${subject}`);
  }
  return refused;
}

/** What of these the user may not do, and closes the connection. */
async function lackingOf(connection: NatsConnection, rights: readonly Right[]): Promise<string[]> {
  const found = refusals(connection);
  for (const { publish, subscribe } of rights) {
    // A refusal is told to the subscription as well, which may not throw it.
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => undefined });
    for (const subject of publish) connection.publish(subject);
  }
  await connection.flush();
  await connection.close();
  const refused = await found;
  return rights.flatMap(({ subject, publish, subscribe }) => [
    ...(publish.some((one) => refused.has(`publish to ${one}`)) ? [`publish to ${subject}`] : []),
    ...(subscribe.some((one) => refused.has(`subscribe to ${one}`)) ? [`subscribe to ${subject}`] : []),
  ]);
}

/** Why JetStream cannot be used by this connection's user though the server has it; undefined: it can, or the rights say why. */
async function unusable(connection: NatsConnection): Promise<string | undefined> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  return jetstreamManager(connection, { timeout: TIMEOUT_MS }).then(
    () => undefined,
    // The client does not export its class.
    (error: Error) => (error.name === 'JetStreamNotEnabled' ? 'the account of its user has none' : undefined),
  );
}

async function findingOf(connection: NatsConnection, config: Settings): Promise<Finding> {
  const { version = '', jetstream } = connection.info ?? {};
  const isQueue = config.WEBHOOK_DISPATCH === 'jetstream';
  const why = !isQueue ? undefined : jetstream === true ? await unusable(connection) : 'the server has none';
  const rights = [WAKE, ...(isQueue ? rightsOfQueue(config.NATS_STREAM) : [])];
  const lacking = await lackingOf(connection, rights);
  if (why !== undefined) {
    const advice = 'start it with JetStream (nats-server -js) for this account, or leave WEBHOOK_DISPATCH out';
    return fail(WHAT, `${version} answers, but WEBHOOK_DISPATCH=jetstream needs JetStream: ${why}`, advice);
  }
  if (lacking.length > 0) {
    const all = rights.map(({ subject }) => subject).join(', ');
    return fail(WHAT, `${version} answers, but its user may not ${lacking.join(', ')}`, `let it use ${all}`);
  }
  return ok(WHAT, `${version} answers (NATS_URL)`);
}

/** Wake-ups between nodes and, by WEBHOOK_DISPATCH=jetstream, attempts: whether the server is there, and the user may do what it has to. */
export async function checkNats(config: Settings): Promise<Finding> {
  const { NATS_URL: url, DATABASE_URL } = config;
  if (url === undefined)
    return ok(
      WHAT,
      `not used; ${DATABASE_URL === undefined ? 'one process needs none' : 'nodes wake each other by PostgreSQL'}`,
    );
  const { connect } = await import('@nats-io/transport-node');
  try {
    const connection = await connect({ ...natsServersOf(url), timeout: TIMEOUT_MS, reconnect: false });
    try {
      return await findingOf(connection, config);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return fail(
      WHAT,
      messageOf(error),
      'check NATS_URL, and that the server runs; without it nodes poll, and are slower',
    );
  }
}
