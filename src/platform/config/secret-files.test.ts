import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { lookalikes } from './lookalikes.ts';
import { FILE_VARIABLES } from './secret-files.ts';
import { SETTINGS } from './settings.ts';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const URL_OF_DATABASE = 'postgres://posthorn:hunter2@db/posthorn';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-secrets-'));
cleanup(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function parsed(env: Record<string, string>): Config | readonly string[] {
  try {
    return parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test('every secret, and nothing else, may stand in a file', () => {
  const secrets = Object.entries(SETTINGS).flatMap(([name, setting]) => ('secret' in setting ? [`${name}_FILE`] : []));
  assert.deepEqual(FILE_VARIABLES, secrets);
  assert.ok(secrets.includes('SMTP_URL_FILE') && secrets.length >= 8);
  assert.deepEqual(parsed({ POSTHORN_DATA_DIR_FILE: '/run/secrets/x' }), [
    'POSTHORN_DATA_DIR_FILE is not a setting of Posthorn',
  ]);
  assert.deepEqual(lookalikes(Object.fromEntries(secrets.map((name) => [name, '/run/secrets/x']))), []);
  assert.deepEqual(lookalikes({ REDIS_URL_FIL: '/x' }), [{ name: 'REDIS_URL_FIL', meant: 'REDIS_URL_FILE' }]);
});

test('a secret in a file is as one in the environment, without a line break at its end', () => {
  const config = parsed({
    DATABASE_URL_FILE: `${file('database', `${URL_OF_DATABASE}\r\n`)}\n`,
    POSTHORN_MASTER_KEY_FILE: file('key', `\uFEFF${MASTER_KEY}\n`),
    POSTHORN_OPERATOR_EMAIL: 'op@example.com',
    POSTHORN_OPERATOR_PASSWORD_FILE: file('password', ' a löng password \n\n'),
    // Empty ones are as good as none.
    POSTHORN_OPERATOR_PASSWORD: '',
    REDIS_URL_FILE: '',
  }) as Config;
  assert.deepEqual(
    [config.DATABASE_URL, config.POSTHORN_MASTER_KEY, config.POSTHORN_OPERATOR_PASSWORD, config.REDIS_URL],
    [URL_OF_DATABASE, MASTER_KEY, ' a löng password ', undefined],
  );
});

test('what is wrong with a file is told by the variable and its path, and nothing more is concluded from it', () => {
  mkdirSync(join(folder, 'folder'));
  for (const [path, says] of [
    [join(folder, 'none'), 'a file that does not exist'],
    [join(folder, 'folder'), 'a folder'],
    [file('empty', '\n'), 'a file that is empty'],
    [file('lines', `${URL_OF_DATABASE}\nand more\n`), 'a file of more than one line'],
    [file('utf16', Buffer.from(`\uFEFF${URL_OF_DATABASE}`, 'utf16le')), 'a file that is not text in UTF-8'],
    [file('large', 'x'.repeat(65_537)), 'a file that is too large for a secret'],
  ] as const) {
    // POSTHORN_MASTER_KEY is missed as with a DATABASE_URL that could be read.
    assert.deepEqual(parsed({ DATABASE_URL_FILE: path, POSTHORN_MASTER_KEY: MASTER_KEY, DATABASE_POOLED: 'true' }), [
      `DATABASE_URL_FILE names ${says}: ${path}`,
    ]);
  }
});

test('a secret and a file of it are one too many', () => {
  const POSTHORN_MASTER_KEY_FILE = file('another-key', Buffer.alloc(32, 8).toString('base64'));
  assert.deepEqual(parsed({ POSTHORN_MASTER_KEY: MASTER_KEY, POSTHORN_MASTER_KEY_FILE }), [
    'POSTHORN_MASTER_KEY and POSTHORN_MASTER_KEY_FILE are both set: take one of them out',
  ]);
  const same = parsed({ POSTHORN_MASTER_KEY: MASTER_KEY, POSTHORN_MASTER_KEY_FILE: file('same', `${MASTER_KEY}\n`) });
  assert.equal((same as Config).POSTHORN_MASTER_KEY, MASTER_KEY);
});

test('no secret is told, neither one of a file nor one that stands where its path should', () => {
  const REDIS_URL_FILE = file('redis', 'redis:hunter2@redis');
  const key = `/9j/${'A'.repeat(39)}=`;
  for (const secret of [
    key,
    key.slice(0, -1),
    `/9j/${'_-'.repeat(19)}A`,
    `postgres://u:${'x'.repeat(300)}@db/p`,
    '/hunter2',
  ]) {
    const faults = parsed({ POSTHORN_MASTER_KEY_FILE: secret });
    assert.match(
      (faults as string[])[0] ?? '',
      /^POSTHORN_MASTER_KEY_FILE names a file that [^/]*; it takes the path of a file/,
    );
  }
  const told = parsed({ REDIS_URL_FILE, DATABASE_URL_FILE: URL_OF_DATABASE, POSTHORN_MASTER_KEY: MASTER_KEY });
  assert.deepEqual(told, [
    'DATABASE_URL_FILE names a file that does not exist; it takes the path of a file, best an absolute one',
    'REDIS_URL (in the file of REDIS_URL_FILE) must be a URL that begins with redis:// or rediss://, such as redis://host:6379, with a password that is percent-encoded (%2F stands for /, %3F for ?, %23 for #), not what it is',
  ]);
});
