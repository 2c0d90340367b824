/**
 * Receives webhooks with Express: verifies each one, handles each event once, and shows the trades that it has heard of.
 *
 *     POSTHORN_SIGNING_SECRET=whsec_… PORT=4000 npm run express-receiver -w examples
 *
 * Then make http://127.0.0.1:4000/hooks an endpoint of your account.
 */
import { seenInMemory, webhookMiddleware } from '@posthorn/client/receivers';
import express from 'express';

const { POSTHORN_SIGNING_SECRET: secret, PORT = '4000' } = process.env;
if (!secret) {
  console.error('POSTHORN_SIGNING_SECRET is missing: the signing secret of the account');
  process.exit(1);
}

/** What happened in each trade, in the order in which it was heard of: deliveries come in no order. */
const trades = new Map<string, string[]>();

const app = express();
// Ahead of express.json(): the signature is over the bytes as they came.
app.use(
  '/hooks',
  webhookMiddleware({
    // Two, separated by a comma, while the secret is being rotated.
    secret: secret.split(','),
    // One process only. With more, a table of yours with a unique key.
    seen: seenInMemory(),
    handle(event) {
      const id = 'tradeSessionId' in event ? event.tradeSessionId : 'no trade';
      trades.set(id, [...(trades.get(id) ?? []), event.event]);
      console.log(`${event.event} ${id}`);
    },
    onError: (error) => console.error(`refused: ${(error as Error).message}`),
  }),
);
app.use(express.json());
app.get('/trades', (_request, response) => void response.json(Object.fromEntries(trades)));

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`webhooks: http://127.0.0.1:${PORT}/hooks, what was heard: http://127.0.0.1:${PORT}/trades`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
