import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { ExportedRecord } from '../../modules/blog/index.ts';
import { readExport } from './read-export.ts';
import { createClient } from '../../../client/src/index.ts';

const post = (id: string) => ({ id, title: id });
const comments = (commentsOf: string, ...ids: string[]) => ({ commentsOf, comments: ids.map((id) => ({ id })) });

/** A service that gives these records in this many bytes at the most, per request. */
async function serving(records: readonly object[], limits: number[]) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    const from = searchParams.get('after');
    asked.push(searchParams.toString());
    const start = records.findLastIndex((r) =>
      [('id' in r && r.id) || '', 'commentsOf' in r && r.commentsOf].includes(from ?? 0),
    );
    const text = records
      .slice(start + 1)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
    const limit = limits.shift() ?? Infinity;
    reply.setHeader('content-type', 'application/x-ndjson');
    if (limit >= text.length) reply.end(text);
    else reply.write(text.slice(0, limit), () => reply.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return {
    asked,
    client: createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credential: 'x' }),
  };
}

/** Records with the comments of lines that follow each other in one. */
const joined = (records: readonly ExportedRecord[]): string[] =>
  records.flatMap((r) => ('commentsOf' in r ? r.comments.map((c) => `${r.commentsOf} ${c.id}`) : [r.id]));

test('an export that breaks anywhere is read whole, and nothing twice', async () => {
  const records = [post('p'), post('q'), comments('q', 'a', 'b'), comments('q', 'c'), post('r'), comments('r', 'd')];
  const whole = ['p', 'q', 'q a', 'q b', 'q c', 'r', 'r d'];
  const length = records.map((r) => JSON.stringify(r).length + 1).reduce((a, b) => a + b, 0);
  for (let limit = 20; limit < length; limit += 13) {
    const { client, asked } = await serving(records, [limit]);
    const read = joined(await Array.fromAsync(readExport(client, { comments: true })));
    assert.deepEqual(read, whole, `broken after ${limit}`);
    assert.ok(asked.length === 2 && asked.every((query) => query.startsWith('comments=true')), asked.join());
  }
});
