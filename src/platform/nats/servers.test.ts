import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type NatsServers, natsServersOf, parseNatsUrl } from './servers.ts';

describe('NATS_URL', () => {
  const good: Record<string, NatsServers> = {
    'nats://127.0.0.1:4333': { servers: ['127.0.0.1:4333'] },
    'nats://nats': { servers: ['nats:4222'] },
    'nats://[::1]:4333/': { servers: ['[::1]:4333'] },
    'nats://ph:secret123@nats': { servers: ['nats:4222'], user: 'ph', pass: 'secret123' },
    'nats://ph:4711x@127.0.0.1:4333': { servers: ['127.0.0.1:4333'], user: 'ph', pass: '4711x' },
    'nats://p%40h:a%3Ab%2Fc%2Cd@nats:1': { servers: ['nats:1'], user: 'p@h', pass: 'a:b/c,d' },
    'nats://s3cr%25t@nats': { servers: ['nats:4222'], token: 's3cr%t' },
    'tls://nats.example': { servers: ['nats.example:4222'], tls: {} },
    'TLS://ph:x@a.example:1, tls://ph:x@b.example:2': {
      servers: ['a.example:1', 'b.example:2'],
      tls: {},
      user: 'ph',
      pass: 'x',
    },
  };
  for (const [url, found] of Object.entries(good)) test(url, () => assert.deepEqual(natsServersOf(url), found));

  const wrong: Record<string, RegExp> = {
    'nats:4222': /^must be a nats:\/\/ or tls:\/\/ URL/,
    'nats://': /^must be a nats:\/\/ or tls:\/\/ URL/,
    'http://nats:4222': /^must be a nats:\/\/ or tls:\/\/ URL/,
    'nats://a:1,': /^must be a nats:\/\/ or tls:\/\/ URL/,
    'nats://ph:12/hunter2@nats': /^must have nothing behind the port.*%2F stands for \//,
    'nats://ph:12#hunter2@nats': /^must have nothing behind the port/,
    'nats://nats?hunter2': /^must have nothing behind the port/,
    'nats://:hunter2@nats': /^must name a user with the password/,
    'nats://ph:hunter2%@nats': /percent-encoded: %25 stands for %$/,
    'nats://ph:hunter2@a,nats://b': /^must have the same user, password or token in all/,
    'nats://ph:hunter2@a,nats://ph:hunter3@b': /^must have the same user, password or token in all/,
    'nats://hunter2@a,nats://hunter2:x@b': /^must have the same user, password or token in all/,
    'tls://127.0.0.1:4222': /^must have a name behind tls:\/\/, not an address/,
    'tls://hunter2@[::1]': /^must have a name behind tls:\/\/, not an address/,
    'nats://a,tls://b': /either nats:\/\/ or tls:\/\/ in all$/,
  };
  for (const [url, says] of Object.entries(wrong)) {
    test(`${url} is refused, without repeating it`, () => {
      const parsed = parseNatsUrl(url);
      assert.ok(!parsed.ok);
      assert.match(parsed.reason, says);
      assert.doesNotMatch(parsed.reason, /hunter/);
    });
  }
});
