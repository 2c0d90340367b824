import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { PASSWORD, testService } from '../../../test/helpers/service.ts';
import { onTerminal } from '../../../test/helpers/terminal.ts';

const service = await testService();
const { url } = service;
const editor = await service.user({ blogRole: 'EDITOR' });
const fileOf = (shell: Shell): string => join(shell.home, 'posthorn', 'credentials.json');
const kept = (shell: Shell) => JSON.parse(readFileSync(fileOf(shell), 'utf8')).profiles;

async function signedIn(email = editor.email): Promise<Shell> {
  const shell = new Shell();
  const args = ['login', '--url', url, '--email', email, '--password-stdin'];
  const { code, err } = await shell.start(args, `${PASSWORD}\n`).ended();
  assert.deepEqual([code, err], [0, '']);
  return shell;
}

describe('signing in', { concurrency: 3 }, () => {
  test('keeps the token for its owner alone, and the next command is somebody', async () => {
    const shell = await signedIn();
    assert.equal(statSync(fileOf(shell)).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(shell.home, 'posthorn')), ['credentials.json']);
    const { user, kind, url: at } = await shell.json('whoami');
    assert.deepEqual([user.email, kind, at], [editor.email, 'session', url]);
    const told = await shell.ok('whoami');
    assert.match(told, new RegExp(`^user +User \\d+ <${editor.email}>$`, 'm'));
    assert.match(told, /^roles +EDITOR$/m);
    assert.match(told, /^signed in until +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
  });

  test('signing out ends the session at the service, and forgets it', async () => {
    const shell = await signedIn();
    const { credential } = kept(shell).default;
    assert.equal(await shell.ok('logout'), `Signed out at ${url}.\n`);
    assert.deepEqual(kept(shell), {});
    await service.refused('UNAUTHENTICATED', 'GET', '/v1/auth/me', { token: credential });
    assert.equal(await shell.ok('logout', '--url', url), `Nobody was signed in at ${url}.\n`);
    const { code, err } = await shell.run('whoami', '--url', url);
    assert.deepEqual([code, err.split(':')[1]], [4, ' nobody is signed in at http']);
  });

  test('profiles stand side by side, and options win over the environment over what is kept', async () => {
    const shell = await signedIn();
    const { key } = await service.key(['webhooks:manage']);
    await shell.ok('login', '--profile', 'shop', '--url', url, '--key', key);
    assert.deepEqual(Object.keys(kept(shell)).toSorted(), ['default', 'shop']);
    assert.equal((await shell.json('whoami')).kind, 'session');
    assert.equal((await shell.json('whoami', '--profile', 'shop')).hint, key.slice(0, key.lastIndexOf('_') + 5));
    shell.env.POSTHORN_PROFILE = 'shop';
    assert.equal((await shell.json('whoami')).kind, 'key');
    shell.env.POSTHORN_KEY = editor.token;
    assert.equal((await shell.json('whoami')).user.email, editor.email);
    assert.equal((await shell.json('whoami', '--key', key)).kind, 'key');
    // What is named is meant: neither key nor address of the shell goes with a profile that an option names.
    shell.env.POSTHORN_URL = 'http://127.0.0.1:1';
    assert.equal((await shell.json('whoami', '--profile', 'shop')).kind, 'key');
    delete shell.env.POSTHORN_URL;
    const none = await shell.run('whoami', '--profile', 'none');
    assert.deepEqual(
      [none.code, none.err],
      [4, 'posthorn: there is no profile none: run "posthorn login --profile none"\n'],
    );
  });

  test('signing in and out heed no key of the shell, also one that is mistyped', async () => {
    const shell = new Shell({ POSTHORN_KEY: 'ph_live_x', POSTHORN_URL: url });
    const signIn = await shell.start(['login', '--email', editor.email, '--password-stdin'], PASSWORD).ended();
    assert.deepEqual([signIn.code, signIn.err], [0, '']);
    const who = await shell.run('whoami');
    assert.deepEqual([who.code, who.err], [2, 'posthorn: POSTHORN_KEY: the API key is mistyped or cut off\n']);
    assert.equal(await shell.ok('logout'), `Signed out at ${url}.\n`);
  });

  test('a credential is never given to another service than its own', async () => {
    const shell = await signedIn();
    const { code, err } = await shell.run('whoami', '--url', 'http://127.0.0.1:1');
    assert.deepEqual([code, err.startsWith('posthorn: nobody is signed in at http://127.0.0.1:1: ')], [4, true]);
  });

  test('what is wrong is told in one line, with the id of the request, and nothing is kept', async () => {
    const shell = new Shell();
    const by = (input: string, ...args: string[]) => shell.start(['login', '--url', url, ...args], input).ended();
    const wrong = await by('wrong password', '--email', editor.email, '--password-stdin');
    assert.deepEqual([wrong.code, wrong.out], [4, '']);
    assert.match(wrong.err, /^posthorn: UNAUTHENTICATED: .+ together\. Check both, .* \[request \S+\]\n$/);
    const unknown = await by(`${editor.token.slice(0, -4)}AAAA\n`, '--key-stdin');
    assert.deepEqual([unknown.code, unknown.out], [4, '']);
    const nobody = await by('');
    assert.deepEqual(
      [nobody.code, nobody.err],
      [2, 'posthorn: --email (or --key) is needed where there is no terminal to ask on\n'],
    );
    assert.deepEqual(readdirSync(shell.home), []);
  });

  test('a file that others can read, or that is none of ours, is not used', async () => {
    const shell = new Shell();
    mkdirSync(join(shell.home, 'posthorn'));
    writeFileSync(fileOf(shell), '{"profiles": {}}', { mode: 0o644 });
    const open = await shell.run('whoami');
    assert.deepEqual([open.code, open.err.startsWith('posthorn: others can read ')], [1, true]);
    writeFileSync(join(shell.home, 'posthorn', 'other'), 'x');
    const broken = new Shell();
    mkdirSync(join(broken.home, 'posthorn'));
    writeFileSync(fileOf(broken), '{"profiles": 1}', { mode: 0o600 });
    const { code, err } = await broken.run('whoami');
    assert.deepEqual([code, err.endsWith('remove it, and run "posthorn login" again\n')], [1, true]);
  });

  test('an expired sign-in is known before anything is asked', async () => {
    const shell = await signedIn();
    const profiles = kept(shell);
    profiles.default.expiresAt = '2020-01-01T00:00:00.000Z';
    writeFileSync(fileOf(shell), JSON.stringify({ profiles }));
    const { code, err } = await shell.run('whoami');
    assert.deepEqual([code, err], [4, `posthorn: the sign-in of ${editor.email} has expired: run "posthorn login"\n`]);
  });
});

describe('on a terminal', () => {
  test('a password is asked for, and not shown', async () => {
    const shell = new Shell();
    const { code, seen } = await onTerminal(
      shell,
      ['login', '--url', url],
      [
        [/E-mail:/, `${editor.email}\r`],
        [/Password:/, `${PASSWORD}\r`],
      ],
    );
    assert.equal(code, 0, seen);
    assert.ok(seen.includes('Signed in at') && !seen.includes(PASSWORD), seen);
    const { seen: told } = await onTerminal(shell, ['whoami'], []);
    assert.ok(told.includes('\u001b[2m'), 'titles are grey');
    shell.env.NO_COLOR = '1';
    assert.ok(!(await onTerminal(shell, ['whoami'], [])).seen.includes('\u001b[2m'));
  });

  test('what cannot be undone is asked for, and Ctrl-C is no yes', async () => {
    const shell = new Shell({ POSTHORN_URL: url, POSTHORN_KEY: await service.operator() });
    const { id } = await service.key(['blog:read']);
    const revoke = (answer: string) => onTerminal(shell, ['keys', 'revoke', id], [[/Revoke key \S+\?/, answer]]);
    const no = await revoke('n\r');
    assert.deepEqual([no.code, no.seen.includes('nothing was done')], [1, true], no.seen);
    assert.equal((await revoke('\u0003')).code, 130);
    const yes = await revoke('y\r');
    assert.deepEqual([yes.code, yes.seen.includes('is revoked.')], [0, true], yes.seen);
  });
});

describe('posthorn status', { concurrency: 2 }, () => {
  test('tells everybody of health and version, and operators of the readers', async () => {
    const shell = new Shell();
    const { version, program, ready, readers } = await shell.json('status', '--url', url);
    assert.deepEqual([version, ready, readers], [program, true, null]);
    shell.env.POSTHORN_KEY = await service.operator();
    const told = await shell.ok('status', '--url', url);
    assert.match(told, /^state +ready$/m);
    assert.match(told, /^READER +LAG +RUNS +RETRYING +SET ASIDE +UPDATED$/m);
    assert.match(told, /^webhook-fan-out +\d+ +yes +0 +0 +\d{4}-.* UTC$/m);
    assert.ok(!told.includes('\u001b'), 'colours where there is no terminal');
  });

  test('a sign-in that is over is told, behind the health', async () => {
    const shell = await signedIn();
    await service.client(kept(shell).default.credential).signOut();
    const over = await shell.run('status');
    assert.match(over.out, /^state +ready\nevents not handled yet +not shown$/m);
    assert.deepEqual(
      [over.code, over.err],
      [4, `posthorn: the sign-in of ${editor.email} is over: run "posthorn login"\n`],
    );
    const { credential } = kept(shell).default;
    const given = await new Shell({ POSTHORN_KEY: credential, POSTHORN_URL: url }).run('status', '--json');
    assert.deepEqual([given.code, JSON.parse(given.out).readers], [4, null]);
    assert.match(given.err, /^posthorn: the service does not take the key or token that was given: .*\n$/);
  });

  test('a user without the right sees health all the same', async () => {
    const shell = new Shell({ POSTHORN_KEY: editor.token });
    assert.equal((await shell.json('status', '--url', url)).readers, null);
  });
});
