import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newApiKey } from '../src/lib/credentials.ts';
import { type Envelope, testService } from './helpers/service.ts';

const service = await testService({ withoutLoops: true, env: { BODY_LIMIT_BYTES: '4096' } });
const { key: reader } = await service.key(['blog:read']);
const { token: editor } = await service.user({ blogRole: 'EDITOR' });
const { token: visitor } = await service.user();

describe('X-Request-Id', () => {
  test('of the caller is kept', async () => {
    const reply = await service.refused('UNAUTHENTICATED', 'GET', '/v1/blog/posts', {
      headers: { 'x-request-id': 'mine_and-1' },
    });
    assert.equal(reply.headers.get('x-request-id'), 'mine_and-1');
    assert.equal(reply.body.error.requestId, 'mine_and-1');
  });

  test('is on successes, and new on each request', async () => {
    const ids = [];
    for (let i = 0; i < 2; i++)
      ids.push((await service.call('GET', '/v1/blog/posts', { token: reader })).headers.get('x-request-id'));
    assert.match(ids[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.notEqual(ids[0], ids[1]);
  });

  for (const id of ['short', 'x'.repeat(65), 'with space', 'semi;colon']) {
    test(`that is none is replaced: ${id.slice(0, 12)}`, async () => {
      const reply = await service.call('GET', '/healthz', { headers: { 'x-request-id': id } });
      assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    });
  }
});

describe('401 UNAUTHENTICATED', () => {
  const cases: Readonly<Record<string, Record<string, string>>> = {
    'no credential': {},
    'another scheme': { authorization: 'Basic YTpi' },
    'an empty credential': { authorization: 'Bearer ' },
    'a malformed key': { authorization: 'Bearer ph_test_nonsense' },
    'an unknown key of the right form': { authorization: `Bearer ${newApiKey('test')}` },
    'an unknown session': { authorization: `Bearer phs_${'A'.repeat(43)}` },
    'a token of nobody': { authorization: 'Bearer a.b.c' },
  };
  for (const [name, headers] of Object.entries(cases)) {
    test(name, async () => {
      const reply = await service.refused('UNAUTHENTICATED', 'GET', '/v1/blog/posts', { headers });
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    });
  }

  test('the scheme is read in any case', async () => {
    await service.ok(200, 'GET', '/v1/blog/posts', { headers: { authorization: `bearer ${reader}` } });
  });

  test('an API key where a session is needed', async () => {
    await service.refused('UNAUTHENTICATED', 'GET', '/v1/blog/manage/me', { token: reader });
  });

  test('comes before the body is looked at', async () => {
    await service.refused('UNAUTHENTICATED', 'POST', '/v1/blog/manage/posts', { body: '{"broken' });
  });
});

describe('403 FORBIDDEN', () => {
  test('a signed-in user without a blog role', async () => {
    await service.refused('FORBIDDEN', 'GET', '/v1/blog/manage/me', { token: visitor });
  });
  test('a key without the scope', async () => {
    await service.refused('FORBIDDEN', 'POST', '/v1/events', { token: reader, body: {} });
  });
  test('administration by others than operators', async () => {
    await service.refused('FORBIDDEN', 'GET', '/v1/admin/users', { token: editor });
  });
});

describe('addresses and methods', () => {
  for (const path of ['/v1/nothing', '/nothing', '/v1', '/v1/blog/posts/a/b/c/d', `/v1/blog/${'x'.repeat(3000)}`]) {
    test(`404: ${path.slice(0, 30)}`, async () => {
      await service.refused('NOT_FOUND', 'GET', path, { undeclared: true, token: reader });
    });
  }

  for (const [path, message] of [
    ['/v1/posts', /no operation at this address: \/openapi.json lists/],
    ['/v1/v1/blog/posts', /no operation at this address: it has \/v1 twice/],
    ['/V1/blog/posts?page=1', /no operation at this address: upper and lower case count/],
    ['/v1/blog/posts/no-such-post', /^There is nothing here/],
  ] as const) {
    test(`404 tells an address that is none from one where nothing is: ${path}`, async () => {
      const { body } = await service.refused('NOT_FOUND', 'GET', path, { undeclared: true, token: reader });
      assert.match(body.error.message, message);
    });
  }

  const wrongMethods: [path: string, allow: string][] = [
    ['/v1/blog/posts', 'GET, HEAD'],
    ['/v1/blog/manage/posts', 'GET, HEAD, POST'],
    ['/v1/blog/manage/posts/0198c7a0-0000-7000-8000-000000000000', 'GET, HEAD, PATCH, DELETE'],
    ['/healthz', 'GET, HEAD'],
  ];
  for (const [path, allow] of wrongMethods) {
    test(`405 names what is allowed: PUT ${path}`, async () => {
      const reply = await service.refused('METHOD_NOT_ALLOWED', 'PUT', path, { undeclared: true });
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), allow);
      assert.equal(reply.body.error.message, `This address takes ${allow}, not PUT.`);
    });
  }

  test('HEAD is GET without a body', async () => {
    const reply = await service.call('HEAD', '/v1/blog/posts', { token: reader, undeclared: true });
    assert.equal(reply.status, 200);
    assert.equal(reply.body, undefined);
    assert.ok(reply.headers.get('etag'));
  });

  test('a slash at the end changes nothing', async () => {
    await service.ok(200, 'GET', '/v1/blog/posts/', { token: reader });
  });

  for (const [what, part, message] of [
    ['that cannot be decoded', '%zz', 'must be percent-encoded UTF-8'],
    ['of a part that is too long', 'x'.repeat(501), 'must not have a part of more than 500 characters'],
  ] as const) {
    test(`an address ${what} is 400 in the envelope, with what is wrong`, async () => {
      const { status, body, headers } = await service.call<Envelope>('GET', `/v1/blog/posts/${part}`, {
        undeclared: true,
        token: reader,
      });
      assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR']);
      assert.deepEqual(body.error.details, [{ path: 'url', message }]);
      assert.equal(headers.get('x-request-id'), body.error.requestId);
    });
  }

  test('a path that does not fit its parameter is 400', async () => {
    const { body } = await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/manage/posts/42', { token: editor });
    assert.deepEqual(body.error.details, [{ path: 'path.id', message: 'must be a UUID' }]);
  });
});

describe('400 VALIDATION_ERROR', () => {
  const post = (body: unknown) =>
    service.refused('VALIDATION_ERROR', 'POST', '/v1/blog/manage/posts', { token: editor, body });

  test('an unknown query parameter, by name', async () => {
    const { body } = await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts?pgae=2', { token: reader });
    assert.deepEqual(body.error.details, [{ path: 'query.pgae', message: 'is not a field of this operation' }]);
  });

  test('an unknown query parameter of an operation that takes none', async () => {
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/taxonomy?x=1', { token: reader });
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/auth/me?x=1', { token: visitor });
  });

  test('what is wrong is told in words, not as a regular expression, and each rule as one that holds', async () => {
    const detailsOf = async (method: 'GET' | 'POST', path: string, sent?: unknown) => {
      const { body } = await service.refused('VALIDATION_ERROR', method, path, {
        token: editor,
        ...(sent === undefined ? {} : { body: sent }),
      });
      return (body.error.details ?? []).map(({ path: at, message }) => `${at} ${message}`);
    };
    const date = 'must be an RFC 3339 date-time of the years 1000 to 9999, such as 2026-03-01T09:05:00Z';
    assert.deepEqual(await detailsOf('GET', '/v1/blog/index?since=2026-01-01'), [`query.since ${date}`]);
    assert.deepEqual(await detailsOf('GET', '/v1/blog/posts?category=a&category=b&q='), [
      'query.category is given more than once',
      'query.q must not be empty',
    ]);
    for (const query of ['sort=newest&sort=oldest', 'page=1&page=2', 'featured=true&featured=true'])
      assert.deepEqual(await detailsOf('GET', `/v1/blog/posts?${query}`), [
        `query.${query.split('=')[0]} is given more than once`,
      ]);
    assert.deepEqual(await detailsOf('POST', '/v1/blog/manage/posts', { slug: 'My Post', coverImageUrl: '/a.png' }), [
      'body.slug must be of a-z and 0-9, in parts that are joined by single hyphens',
      'body.coverImageUrl must begin with http:// or https://, and must be an absolute address (URI), or must be null',
    ]);
    assert.deepEqual(await detailsOf('POST', '/v1/auth/sign-up', { email: 'a', name: ' ', password: 'long enough' }), [
      'body.email must NOT have fewer than 3 characters, and must be an e-mail address',
      'body.name must be one line of text that is not blank, without control characters and such as turn its direction',
    ]);
    for (const [title, told] of [
      ['', 'must not be empty'],
      [' \t ', 'must not be blank'],
      ['a\ud83c', 'must not hold half a surrogate pair'],
    ] as const)
      assert.deepEqual(await detailsOf('POST', '/v1/blog/manage/posts', { title }), [`body.title ${told}`]);
  });

  test('a query value out of bounds, or of no number', async () => {
    for (const query of ['limit=0', 'limit=101', 'page=1.5', 'page=abc', 'page=1&page=2', 'page=10001', 'sort=best']) {
      await service.refused('VALIDATION_ERROR', 'GET', `/v1/blog/posts?${query}`, { token: reader });
    }
  });

  test('an integer in any other form than decimal digits, whichever the parameter', async () => {
    for (const value of ['0x10', '1e1', '%201', '1%20', '%2B1', '01', '1.0', '-1', '0b1', '1_0', '١', '']) {
      for (const [path, name] of [
        ['/v1/blog/posts', 'page'],
        ['/v1/blog/posts', 'limit'],
        ['/v1/blog/manage/posts', 'page'],
      ]) {
        const { body } = await service.refused('VALIDATION_ERROR', 'GET', `${path}?${name}=${value}`, {
          token: editor,
        });
        const details = [{ path: `query.${name}`, message: 'must be an integer in decimal digits' }];
        assert.deepEqual(body.error.details, details, `${path}?${name}=${value}`);
      }
    }
    const { body } = await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts?page=0x1&limit=500&x=1', {
      token: reader,
    });
    assert.deepEqual(body.error.details?.map((d) => d.path).toSorted(), ['query.limit', 'query.page', 'query.x']);
    for (const query of ['page=1', 'page=10', 'page=10000&limit=100'])
      await service.ok(200, 'GET', `/v1/blog/posts?${query}`, { token: reader });
  });

  test('every unknown body field and misfit, at once', async () => {
    const { body } = await post({ title: 'x'.repeat(201), status: 'PUBLISHED', authorId: 'me' });
    assert.deepEqual(
      body.error.details?.map((d) => d.path).toSorted((a, b) => a.localeCompare(b)),
      ['body.authorId', 'body.status', 'body.title'],
    );
  });

  test('a value of another type is not made to fit', async () => {
    for (const value of [{ title: 5 }, { featured: 'true' }, { tags: 'one' }, { featured: 1 }, { title: null }])
      await post(value);
  });

  test('what is not JSON, or no object', async () => {
    for (const text of ['{"title": ', 'title', '{title: 1}', '[]', '"text"', 'null', '1']) await post(text);
  });

  test('prototype poisoning is refused', async () => {
    for (const text of ['{"__proto__": {"operator": true}}', '{"constructor": {"prototype": {"x": 1}}}'])
      assert.match((await post(text)).body.error.message, /^body: must not have a key `__proto__`/);
    assert.equal((await post('{"__proto__": {}')).body.error.message, 'body: is not JSON');
    assert.equal(({} as Record<string, unknown>)['operator'], undefined);
  });

  test('U+0000, which the database cannot store, in body and address', async () => {
    await post(String.raw`{"title": "a\u0000b"}`);
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts?category=a%00b', { token: reader });
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts/a%00b', { token: reader });
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts?q=a&author=%00', { token: reader });
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/posts?q=a&q=%00', { token: reader });
    // A question mark may stand in a value.
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/events?tradeSessionId=a?q=%00', {
      token: await service.operator(),
    });
  });

  test('but in a search U+0000 parts words', async () => {
    const search = async (address: string, token: string) =>
      (await service.ok<{ total: number }>(200, 'GET', address, { token })).total;
    const body = { title: 'Numbat and quokka', body: 'x', category: 'News' };
    const { id } = await service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', { token: editor, body });
    await service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, { token: editor, body: {} });
    assert.equal(await search('/v1/blog/posts?q=numbat%00quokka', reader), 1);
    assert.equal(await search('/v1/blog/posts?q=%00', reader), 0);
    assert.equal(await search('/v1/blog/manage/posts?limit=1&q=numbat%00', editor), 1);
    assert.equal(await search('/v1/admin/users?q=%00nobody', await service.operator()), 0);
  });

  test('a backslash before u0000 is text like any other', async () => {
    const post = await service.ok<{ title: string }>(201, 'POST', '/v1/blog/manage/posts', {
      token: editor,
      body: String.raw`{"title": "a\\u0000b"}`,
    });
    assert.equal(post.title, String.raw`a\u0000b`);
  });

  test('a body where none is taken; an empty object is none', async () => {
    const { token } = await service.user();
    await service.refused('VALIDATION_ERROR', 'POST', '/v1/auth/sign-out', { token, body: { all: true } });
    await service.ok(204, 'POST', '/v1/auth/sign-out', { token, body: {} });
  });
});
