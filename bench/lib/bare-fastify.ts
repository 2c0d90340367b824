/**
 * A Fastify that does nothing but send one reply: its first line of input is that reply as a JSON string, its argument
 * the status (200). Prints its port.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import Fastify from 'fastify';

const [line] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const reply = Buffer.from(JSON.parse(line) as string);
const status = Number(process.argv[2] ?? 200);
const app = Fastify({ logger: false });
app.get('/', (_request, response) => response.code(status).type('application/json').send(reply));
await app.listen({ host: '127.0.0.1', port: 0 });
console.log((app.server.address() as { port: number }).port);
