/**
 * The ceiling: signed POSTs as fast as undici's `dispatch` sends them on this machine, with nothing else around.
 * `node bench/lib/ceiling-sender.ts <port> <seconds> <body>` prints `{sent, seconds, micros}`, the last the CPU for a request.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { Agent } from 'undici';

const [port, seconds] = process.argv.slice(2, 4).map(Number) as [number, number];
const body = process.argv[4] as string;
const agent = new Agent({ connections: 64, pipelining: 1 });
const secret = createSecretKey(Buffer.from('whsec_0zq4gq4UCKJ6p6aXLv3uC'));
const started = performance.now();
let sent = 0;

function send(): void {
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  agent.dispatch(
    {
      origin: `http://127.0.0.1:${port}`,
      path: '/',
      method: 'POST',
      body,
      headers: ['content-type', 'application/json', 'x-service-signature', `t=${t},v1=${v1}`],
    },
    {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {
        sent++;
        if (performance.now() - started < seconds * 1000) send();
        else {
          const { user, system } = process.cpuUsage();
          const micros = (user + system) / sent;
          console.log(JSON.stringify({ sent, seconds: (performance.now() - started) / 1000, micros }));
          process.exit(0);
        }
      },
      onResponseError(_controller: unknown, error: Error) {
        throw error;
      },
    },
  );
}
for (let i = 0; i < 64; i++) send();
