import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, parseConfig } from './config.ts';
import { settingsDoc } from './settings-doc.ts';
import { SETTINGS } from './settings.ts';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('an environment', () => {
  test('that is empty gives the defaults, without a fault', () => {
    const config = parseConfig({});
    assert.deepEqual(
      [config.HOST, config.PORT, config.POSTHORN_ENV, config.DATABASE_URL, config.POSTHORN_SIGN_UP],
      ['127.0.0.1', 3000, 'development', undefined, true],
    );
  });

  test('gives values of their kinds; an empty variable is as good as none', () => {
    const config = parseConfig({
      PORT: '0',
      POSTHORN_SIGN_UP: 'No',
      POSTHORN_ALLOWED_TARGETS: ' 10.0.0.0/8, ,192.168.0.0/16 ',
      POSTHORN_PUBLIC_URL: '',
      BODY_LIMIT_BYTES: '',
    });
    assert.deepEqual(
      [
        config.PORT,
        config.POSTHORN_SIGN_UP,
        config.POSTHORN_ALLOWED_TARGETS,
        config.POSTHORN_PUBLIC_URL,
        config.BODY_LIMIT_BYTES,
      ],
      [0, false, ['10.0.0.0/8', '192.168.0.0/16'], undefined, 2_097_152],
    );
  });

  test('gives values without the line break of the file that they come from', () => {
    const config = parseConfig({
      PORT: '3001\r',
      POSTHORN_OPERATOR_EMAIL: 'op@example.com',
      POSTHORN_OPERATOR_PASSWORD: ' a long password \n',
      POSTHORN_OIDC_AUDIENCE: '\r\n',
    });
    assert.deepEqual(
      [config.PORT, config.POSTHORN_OPERATOR_PASSWORD, config.POSTHORN_OIDC_AUDIENCE],
      [3001, ' a long password ', undefined],
    );
  });

  test('may hold whatever does not begin with POSTHORN_', () => {
    assert.deepEqual(faultsOf({ HOME: '/root', npm_config_x: 'y', PGHOST: 'z' }), []);
  });

  test('is read once: what was parsed cannot be changed', () => {
    assert.throws(() => Object.assign(parseConfig({}), { PORT: 1 }), TypeError);
  });
});

describe('faults', () => {
  test('are all told together, each with its name', () => {
    const faults = faultsOf({
      PORT: 'http',
      SHUTDOWN_SECONDS: '0',
      POSTHORN_ENV: 'prod',
      POSTHORN_SIGN_UP: 'maybe',
      POSTHORN_PUBLIC_URL: 'example.com',
      POSTHORN_OPERATER_EMAIL: 'me@example.com',
    });
    assert.deepEqual(faults, [
      'PORT must be a whole number from 0 to 65535, not "http"',
      'POSTHORN_ENV must be one of development, production, test, not "prod"',
      'POSTHORN_PUBLIC_URL must be an http or https URL without user name, query or fragment, not "example.com"',
      'POSTHORN_SIGN_UP must be true or false, not "maybe"',
      'SHUTDOWN_SECONDS must be a whole number from 1 to 300, not "0"',
      'POSTHORN_OPERATER_EMAIL is not a setting of Posthorn; is POSTHORN_OPERATOR_EMAIL meant?',
    ]);
  });

  test('the variables of the command line are none', () => {
    const env = { POSTHORN_URL: 'x', POSTHORN_KEY: 'x', POSTHORN_PROFILE: 'x', POSTHORN_SIGNING_SECRET: 'x' };
    assert.deepEqual(faultsOf(env), []);
  });

  test('what Kubernetes makes of Services is none; what only looks alike is', () => {
    const env = {
      POSTHORN_PORT: 'tcp://10.96.0.12:3000',
      POSTHORN_SERVICE_HOST: '10.96.0.12',
      POSTHORN_SERVICE_PORT: '3000',
      POSTHORN_SERVICE_PORT_HTTP_API: '3000',
      POSTHORN_PORT_3000_TCP: 'tcp://10.96.0.12:3000',
      POSTHORN_PORT_3000_TCP_PROTO: 'tcp',
      POSTHORN_PORT_3000_TCP_PORT: '3000',
      POSTHORN_PORT_3000_TCP_ADDR: 'fd00::1',
      POSTHORN_NATS_PORT_4222_TCP: 'tcp://10.96.0.13:4222',
      POSTHORN_NATS_SERVICE_HOST: '10.96.0.13',
    };
    assert.deepEqual(faultsOf(env), []);
    const wrong = {
      POSTHORN_PORT: '8080',
      POSTHORN_PORT_TCP: 'tcp://x:1',
      POSTHORN_SERVICE_PORTS: '1',
      POSTHORN_SERVICE_HOST: 'example',
    };
    assert.deepEqual(
      faultsOf(wrong),
      Object.keys(wrong).map((name) => `${name} is not a setting of Posthorn`),
    );
  });

  test('origins are written as browsers write them', () => {
    assert.deepEqual(faultsOf({ CORS_ORIGINS: 'https://shop.example, http://localhost:5173,,https://a.b:8443' }), []);
    assert.deepEqual(faultsOf({ CORS_ORIGINS: '*' }), []);
    const written = [
      'https://shop.example/',
      'shop.example',
      'https://Shop.example',
      'https://shop.example:443',
      'null',
      'ws://a.b',
    ];
    for (const origin of written)
      assert.deepEqual(faultsOf({ CORS_ORIGINS: `https://a.b, ${origin}` }), [
        `CORS_ORIGINS must be a list of origins, such as https://shop.example without a path, or *, not "${origin}"`,
      ]);
  });

  test('are in the message, one line each', () => {
    assert.throws(() => parseConfig({ PORT: 'x', HOST: 'ok', LOG_LEVEL: 'loud' }), {
      name: 'ConfigError',
      message: /^2 settings are wrong:\n {2}PORT .*\n {2}LOG_LEVEL .*$/,
    });
  });

  for (const text of ['1.5', '1e3', ' 1', '-1', '65536', '0x10', '99999999999999999999']) {
    test(`a number must be written as one: PORT=${text}`, () => assert.equal(faultsOf({ PORT: text }).length, 1));
  }

  test('over several settings are found as well', () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ POSTHORN_MASTER_KEY: 'c2hvcnQ=' }, /32 bytes/],
      [{ DATABASE_URL: 'postgres://x/y' }, /POSTHORN_MASTER_KEY is needed/],
      [{ POSTHORN_ENV: 'production' }, /POSTHORN_MASTER_KEY is needed/],
      [{ WEB_CONCURRENCY: '2' }, /WEB_CONCURRENCY of more than 1 needs DATABASE_URL/],
      [{ WEB_CONCURRENCY: '0' }, /WEB_CONCURRENCY must be auto or a whole number from 1 to 64, not "0"/],
      [{ POSTHORN_OPERATOR_EMAIL: 'a@b.example' }, /go together/],
      [{ POSTHORN_OPERATOR_EMAIL: 'a@b.example', POSTHORN_OPERATOR_PASSWORD: 'short' }, /12 characters/],
      [{ POSTHORN_OPERATOR_EMAIL: 'admin', POSTHORN_OPERATOR_PASSWORD: 'long enough pass' }, /e-mail address/],
      [
        { POSTHORN_OPERATOR_EMAIL: `${'a'.repeat(250)}@b.example`, POSTHORN_OPERATOR_PASSWORD: 'long enough pass' },
        /3 to 254/,
      ],
      [{ POSTHORN_OPERATOR_EMAIL: 'a@b.example', POSTHORN_OPERATOR_PASSWORD: 'x'.repeat(201) }, /at most 200/],
      [{ POSTHORN_OIDC_ISSUER: 'https://id.example' }, /go together/],
      [{ NATS_URL: 'nats://ph:x@a,nats://b' }, /^NATS_URL must have the same user, password or token in all its URLs/],
      [{ REDIS_URL: 'redis://h/one' }, /^REDIS_URL must have a host, and behind it at most the number of a database/],
      [{ REDIS_URL: 'redis:///1' }, /^REDIS_URL must have a host/],
      [{ REDIS_URL: 'redis://u:1%@h' }, /^REDIS_URL must have user name and password percent-encoded/],
      [{ SMTP_URL: 'smtp://mail' }, /SMTP_URL and SMTP_FROM go together/],
      [{ SMTP_FROM: 'a@example.com' }, /SMTP_URL and SMTP_FROM go together/],
      [{ SMTP_URL: 'https://mail', SMTP_FROM: 'a@example.com' }, /^SMTP_URL must be a URL that begins with smtp/],
      [{ SMTP_URL: 'smtp://mail', SMTP_FROM: 'Shop' }, /^SMTP_FROM must be an e-mail address/],
      [{ DATABASE_URL: 'mysql://x/y', POSTHORN_MASTER_KEY: MASTER_KEY }, /postgres:\/\//],
      [{ DATABASE_LISTEN_URL: 'mysql://x/y' }, /^DATABASE_LISTEN_URL must be a URL that begins with postgres/],
      [{ DATABASE_LISTEN_URL: 'postgres://x/y' }, /^DATABASE_LISTEN_URL goes with DATABASE_URL/],
      [{ DATABASE_POOLED: 'false' }, /^DATABASE_POOLED goes with DATABASE_URL/],
      [{ READ_DATABASE_URL: 'mysql://x/y' }, /^READ_DATABASE_URL must be a URL that begins with postgres/],
      [{ READ_DATABASE_URL: 'postgres://x/y' }, /^READ_DATABASE_URL goes with DATABASE_URL/],
      [{ READ_DATABASE_POOLED: 'false' }, /^READ_DATABASE_POOLED goes with READ_DATABASE_URL/],
    ];
    for (const [env, says] of wrong) {
      const faults = faultsOf(env);
      assert.ok(
        faults.some((fault) => says.test(fault)),
        `${JSON.stringify(env)}: ${faults.join('; ')}`,
      );
    }
  });

  test('of single settings and over several are told together', () => {
    assert.deepEqual(faultsOf({ PORT: 'x', POSTHORN_ENV: 'production', POSTHORN_OIDC_ISSUER: 'https://id.example' }), [
      'PORT must be a whole number from 0 to 65535, not "x"',
      'POSTHORN_MASTER_KEY is needed with DATABASE_URL or in production (openssl rand -base64 32)',
      'POSTHORN_OIDC_ISSUER and POSTHORN_OIDC_JWKS_URL go together',
      'POSTHORN_OIDC_ISSUER needs POSTHORN_OIDC_AUDIENCE: tokens made out to other services would be good here',
    ]);
    assert.equal(faultsOf({ DATABASE_URL: 'nonsense', POSTHORN_DEMO: 'true' }).length, 3, 'it was given, if wrongly');
  });

  test('nothing more is concluded from a setting that is at fault', () => {
    const given = { POSTHORN_OIDC_ISSUER: 'id', POSTHORN_OIDC_JWKS_URL: 'keys', POSTHORN_OIDC_AUDIENCE: 'me' };
    assert.deepEqual(faultsOf(given), [
      'POSTHORN_OIDC_ISSUER must be a URL that begins with https:// or http://, such as https://id.example.com, not "id"',
      'POSTHORN_OIDC_JWKS_URL must be a URL that begins with https:// or http://, such as https://id.example.com/keys, not "keys"',
    ]);
    assert.deepEqual(faultsOf({ DATABASE_URL: 'nonsense', POSTHORN_MASTER_KEY: MASTER_KEY }), [
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://, such as postgres://user@host:5432/name, not what it is',
    ]);
  });

  test('of a URL name the schemes that it may have, and one that is right', () => {
    const says = 'must be a URL that begins with';
    const wrong: Record<string, [string, string][]> = {
      REDIS_URL: [
        ['localhost:6379', 'redis:// or rediss://, such as redis://host:6379, not what it is'],
        ['redis:6379', 'redis:// or rediss://, such as redis://host:6379, not what it is'],
        ['redis://h:x', 'redis:// or rediss://, such as redis://host:6379, not what it is'],
      ],
      NATS_URL: [
        ['nats:4222', 'nats:// or tls://, or several with commas between, such as nats://host:4222, not what it is'],
      ],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const [value, fault] of values) assert.deepEqual(faultsOf({ [name]: value }), [`${name} ${says} ${fault}`]);
    }
    const oidc = { POSTHORN_OIDC_ISSUER: 'https://id.example', POSTHORN_OIDC_AUDIENCE: 'me' };
    assert.deepEqual(faultsOf({ ...oidc, POSTHORN_OIDC_JWKS_URL: 'mailto:a@b' }), [
      `POSTHORN_OIDC_JWKS_URL ${says} https:// or http://, such as https://id.example.com/keys, not what it is`,
    ]);
    // The second can be read as a URL: of the host p.
    for (const url of ['postgres://u:p/w@h/n', 'postgres://u:p@p#w@h/n'])
      assert.deepEqual(faultsOf({ DATABASE_URL: url, POSTHORN_MASTER_KEY: MASTER_KEY }), [
        `DATABASE_URL ${says} postgres:// or postgresql://, such as postgres://user@host:5432/name, with a password that is percent-encoded (%2F stands for /, %3F for ?, %23 for #), not what it is`,
      ]);
    for (const url of ['redis://h', 'REDISS://u:p%25@h:1/2', 'redis://[::1]:6379/', 'redis://:p@h'])
      assert.deepEqual(faultsOf({ REDIS_URL: url }), [], url);
    for (const url of [
      'postgres:///name?host=/run/postgresql',
      'postgresql://%2Frun%2Fpostgresql/name',
      'postgres://u:p@h/n',
    ])
      assert.deepEqual(faultsOf({ DATABASE_URL: url, POSTHORN_MASTER_KEY: MASTER_KEY }), [], url);
  });

  test('of a list name the entry', () => {
    assert.deepEqual(
      faultsOf({ TRUST_PROXY: '10.0.0.0/8, proxy', POSTHORN_ALLOWED_TARGETS: '::1,127.1,10.0.0.0/40' }),
      [
        'POSTHORN_ALLOWED_TARGETS must be a list of CIDRs or IP addresses, not "127.1"',
        'TRUST_PROXY must be a list of CIDRs or IP addresses with a prefix of at least /1, not "proxy"',
      ],
    );
    for (const everybody of ['0.0.0.0/0', '::/0']) {
      assert.match(faultsOf({ TRUST_PROXY: `127.0.0.1,${everybody}` }).join(), new RegExp(`not "${everybody}"$`));
      assert.deepEqual(faultsOf({ POSTHORN_ALLOWED_TARGETS: everybody }), []);
    }
    assert.deepEqual(faultsOf({ POSTHORN_NAME_SERVERS: '192.0.2.1, 192.0.2.1:5353,2001:db8::1,[2001:db8::1]:53' }), []);
    for (const wrong of [
      'localhost',
      '192.0.2.1:0',
      '192.0.2.1:65536',
      '[192.0.2.1]:53',
      '192.0.2.0/24',
      '::1:x',
      '127.1:53',
    ])
      assert.deepEqual(faultsOf({ POSTHORN_NAME_SERVERS: `192.0.2.1, ${wrong}` }), [
        `POSTHORN_NAME_SERVERS must be a list of IP addresses, each with a port or without, not "${wrong}"`,
      ]);
    assert.deepEqual(faultsOf({ TRUST_PROXY: 'fd00::/8, 10.1.2.3 ,,::1' }), []);
  });

  test('the public address is of the web, and paths can be appended to it', () => {
    const wrong = ['ftp://x.example', 'x.example:80', 'http:x.example', 'http:///x', 'https://x.example?a=1'];
    for (const url of [...wrong, 'https://x.example/?', 'https://x.example/#', 'https://x .example', 'https://x:y']) {
      assert.match(faultsOf({ POSTHORN_PUBLIC_URL: url }).join(), /^POSTHORN_PUBLIC_URL must be an http or https/, url);
    }
    const faults = faultsOf({ POSTHORN_PUBLIC_URL: 'https://me:hunter2@x.example' });
    assert.match(faults.join(), /without user name.*not what it is$/);
    for (const url of ['http://127.0.0.1:3000', 'https://x.example/', 'HTTPS://x.example/blog/', 'http://[::1]:80']) {
      assert.deepEqual(faultsOf({ POSTHORN_PUBLIC_URL: url, POSTHORN_ENV: 'test' }), [], url);
    }
  });

  test('never repeat the value of a secret', () => {
    const secret = 'hunter2-hunter2';
    for (const [name, setting] of Object.entries(SETTINGS)) {
      if (!('secret' in setting)) continue;
      const faults = faultsOf({ [name]: secret, PORT: 'wrong' });
      assert.ok(!faults.join('\n').includes(secret), name);
    }
    assert.ok(!faultsOf({ DATABASE_URL: 'postgres:user:hunter2-hunter2@' }).join().includes(secret));
  });
});

test('the page of settings has a row for each', () => {
  const rows = settingsDoc()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  assert.deepEqual(
    rows.map((row) => row.split('`')[1]),
    Object.keys(SETTINGS),
  );
  for (const row of rows) assert.equal(row.split('|').length, 6, row);
});
