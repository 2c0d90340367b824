import { Agent, request } from 'node:http';
import { EVENTS } from '../../src/contracts/events/index.ts';

/** One request to publish, with the Idempotency-Key under which it is sent until it is answered. */
export interface PublishJob {
  key: string;
  /** `tradeSessionId` of each of its events. */
  names: readonly string[];
  body: string;
}

/** `count` events in requests of `size` (1 sends the single form), each for one of the audiences in turn. */
export function publishJobs(prefix: string, count: number, size: number, audiences: readonly string[]): PublishJob[] {
  const event = (name: string, i: number) => ({
    event: 'checkout.started',
    data: { ...EVENTS['checkout.started'].example, tradeSessionId: name },
    accountIds: [audiences[i % audiences.length]],
  });
  return Array.from({ length: Math.ceil(count / size) }, (_, r) => {
    const names = Array.from({ length: Math.min(size, count - r * size) }, (_, i) => `${prefix}-${r * size + i}`);
    const events = names.map((name, i) => event(name, r * size + i));
    return { key: `${prefix}-${r}`, names, body: JSON.stringify(size === 1 ? events[0] : { events }) };
  });
}

interface Reply {
  status: number;
  body: string;
}

/**
 * Publishes over keep-alive connections, one request at a time on each. A request without an answer (the service died)
 * goes back to the front and is sent again later with the same Idempotency-Key.
 */
export class Publisher {
  /** Event id by name, of every event that was answered 202. */
  readonly answered = new Map<string, string>();
  /** Requests that were sent more than once. */
  repeated = 0;
  readonly #apiKey: string;
  readonly #waiting: PublishJob[];

  constructor(apiKey: string, jobs: readonly PublishJob[]) {
    this.#apiKey = apiKey;
    this.#waiting = [...jobs];
  }

  /** Publishes until everything is answered or the service is gone. `onAnswer` is called after each answer. */
  async run(port: number, connections: number, onAnswer: () => void = () => undefined): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const lane = async (): Promise<void> => {
      for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
        const reply = await this.#post(agent, port, job).catch(() => null);
        if (reply?.status === 202) {
          const { data } = JSON.parse(reply.body) as { data: { id: string }[] };
          for (const [i, name] of job.names.entries()) this.answered.set(name, data[i]?.id ?? '');
          onAnswer();
          continue;
        }
        this.#waiting.unshift(job);
        this.repeated++;
        if (reply === null) return;
        // 409: the same request of before the crash is still running; 503: slow down. Anything else is a fault.
        if (reply.status !== 503 && reply.status !== 409)
          throw new Error(`POST /v1/events: ${reply.status} ${reply.body}`);
      }
    };
    try {
      await Promise.all(Array.from({ length: connections }, lane));
    } finally {
      agent.destroy();
    }
  }

  #post(agent: Agent, port: number, job: PublishJob): Promise<Reply> {
    return new Promise((done, failed) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(job.body),
        authorization: `Bearer ${this.#apiKey}`,
        'idempotency-key': job.key,
      };
      const sent = request(
        { agent, port, host: '127.0.0.1', method: 'POST', path: '/v1/events', headers },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => (body += text));
          response
            .on('error', failed)
            .on('end', () =>
              response.complete ? done({ status: response.statusCode ?? 0, body }) : failed(new Error('cut off')),
            );
        },
      );
      sent.on('error', failed).end(job.body);
    });
  }
}
