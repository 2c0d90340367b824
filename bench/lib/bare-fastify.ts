/**
 * A Fastify that does nothing but send one reply: its first line of input is that reply as a JSON string, its arguments
 * the status (200) and by how many processes (1). Prints its port.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import Fastify from 'fastify';

const [status = 200, processes = 1] = process.argv.slice(2).map(Number);

async function listen(reply: Buffer): Promise<number> {
  const app = Fastify({ logger: false });
  app.get('/', (_request, response) => response.code(status).type('application/json').send(reply));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as { port: number }).port;
}

if (cluster.isWorker) await listen(Buffer.from(process.env.BARE_REPLY ?? ''));
else {
  const [line] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
  const reply = JSON.parse(line) as string;
  if (processes === 1) console.log(await listen(Buffer.from(reply)));
  else {
    const ports = Array.from({ length: processes }, async () => {
      const [{ port }] = (await once(cluster.fork({ BARE_REPLY: reply }), 'listening')) as [{ port: number }];
      return port;
    });
    console.log((await Promise.all(ports))[0]);
  }
}
