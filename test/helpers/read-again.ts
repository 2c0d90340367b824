import { after, beforeEach } from 'node:test';
import { Type } from 'typebox';
import type { Caller } from '../../src/contracts/caller.ts';
import { etagMatches, octets } from '../../src/platform/http/etag.ts';
import { read, type Reply } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { withDatabase } from './database.ts';
import { httpSide, session } from './http-app.ts';

/** Requests of a key in the window of its limit. */
const LIMIT = 1000;

interface Call {
  as?: string;
  headers?: Record<string, string>;
  method?: string;
}

const key = (keyId: string, scopes: readonly 'blog:read'[] = ['blog:read']): Caller => ({
  kind: 'key',
  keyId,
  accountId: 'a',
  accountType: 'SITE',
  scopes,
});

/** The bytes of a read of /v1/any by the key `site`, with these fields besides. */
export const get = (...fields: string[]): string =>
  ['GET /v1/any HTTP/1.1', 'Host: a', 'Authorization: Bearer site', ...fields, '', ''].join('\r\n');

/** Services with a read, /v1/any, and one with a scope, /v1/scoped, whose replies may be given again; all of one file, by one state. */
export async function readAgain() {
  const database = await withDatabase();
  /** What the one route answers, whether that holds again, and how often it was asked. */
  const state = { text: 'é ÿ € 😀 العربية', holds: true, throws: false, asked: 0, again: 0 };
  beforeEach(() => Object.assign(state, { holds: true, throws: false, asked: 0, again: 0 }));

  const answer = (headers: Readonly<Record<string, string | undefined>>): Reply => {
    const fields = { etag: `"${encodeURI(state.text)}"`, 'cache-control': 'private, no-cache', vary: 'Authorization' };
    if (etagMatches(headers['if-none-match'], fields.etag, true)) return { status: 304, headers: fields };
    return { status: 200, bytes: octets(JSON.stringify({ text: state.text })), headers: fields };
  };

  const route = (path: string, access: 'any' | { key: 'blog:read' }) =>
    read({
      method: 'GET',
      path,
      operationId: path.replaceAll('/', ''),
      tag: 'test',
      summary: 'test',
      access,
      schemas: {
        query: Type.Object({ n: Type.Optional(Type.String()) }),
        replies: { 200: Type.Object({ text: Type.String() }), 304: null },
      },
      handle: async (_db, { headers }) => {
        state.asked++;
        const again = (asked: typeof headers): Reply | null => {
          state.again++;
          if (state.throws) throw new RangeError('too long');
          return state.holds ? answer(asked) : null;
        };
        return { ...answer(headers), again };
      },
    });

  /** One that listens until the test, or the file, ends. */
  async function given(options: { env?: Record<string, string>; log?: Parameters<typeof createLog>[0] } = {}) {
    const callers: Record<string, Caller> = {
      site: key('site'),
      scopeless: key('scopeless', []),
      user: session('user'),
    };
    const side = await httpSide([route('/v1/any', 'any'), route('/v1/scoped', { key: 'blog:read' })], {
      database,
      callers,
      env: { RATE_LIMIT_KEY: String(LIMIT), ...options.env },
      log: createLog(options.log ?? 'silent', { write: () => undefined }),
    });
    const address = await side.app.listen({ host: '127.0.0.1', port: 0 });
    after(() => side.app.close());
    const call = (path = '/v1/any', { as = 'site', headers = {}, method = 'GET' }: Call = {}): Promise<Response> =>
      fetch(`${address}${path}`, { method, headers: { authorization: `Bearer ${as}`, ...headers } });
    return { side, callers, call, address };
  }

  return { state, given, LIMIT };
}
