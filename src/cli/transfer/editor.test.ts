import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { PASSWORD, testService } from '../../../test/helpers/service.ts';
import { onTerminal } from '../../../test/helpers/terminal.ts';

const service = await testService({ withoutLoops: true });
const { url } = service;
/** Is signed in, and may export. */
const editor = await service.user({ blogRole: 'EDITOR' });
/** May not: an export as this one is refused. */
const author = await service.user({ blogRole: 'AUTHOR' });

async function signedIn(env: Record<string, string> = {}): Promise<Shell> {
  const shell = new Shell(env);
  await shell.start(['login', '--url', url, '--email', editor.email, '--password-stdin'], PASSWORD).ended();
  return shell;
}
const EXPORT = ['export', 'ndjson', '-'];

/** Runs an export with `input` on standard input, and gives its code and the first words of what it says. */
async function exported(shell: Shell, args: readonly string[], input = ''): Promise<[number | null, string]> {
  const { code, err } = await shell.start([...EXPORT, ...args], input).ended();
  return [code, err.trimEnd()];
}

describe('who exports and imports', { concurrency: 2 }, () => {
  test('is never the one who was signed in before, when another e-mail or a password is given', async () => {
    const shell = await signedIn();
    assert.equal((await exported(shell, []))[0], 0);
    const unasked = 'is needed where there is no terminal to ask on';
    assert.deepEqual(await exported(shell, ['--email', author.email]), [2, `posthorn: --password-stdin ${unasked}`]);
    for (const password of [['--password', PASSWORD], ['--password-stdin']])
      assert.deepEqual(await exported(shell, password, PASSWORD), [2, `posthorn: --email ${unasked}`]);
    const old = await signedIn({ PH_EMAIL: author.email });
    assert.deepEqual(await exported(old, ['--url', url]), [2, `posthorn: --password-stdin ${unasked}`]);
  });

  test('signs in with a password of standard input, of the command line, or of the environment', async () => {
    const shell = await signedIn();
    const as = ['--url', url, '--email', author.email];
    for (const [args, input] of [
      [[...as, '--password-stdin'], `${PASSWORD}\n`],
      [[...as, '--password', PASSWORD], ''],
    ] as const) {
      const [code, err] = await exported(shell, args, input);
      assert.deepEqual(
        [code, err.startsWith('posthorn: FORBIDDEN: This operation is for editors of the blog')],
        [4, true],
        err,
      );
    }
    const [code, wrong] = await exported(shell, [...as, '--password-stdin'], 'not the one');
    assert.equal(code, 4);
    assert.match(wrong, /^posthorn: UNAUTHENTICATED: .+ together\. Check both, .* \[request \S+\]$/);
    shell.env.PH_PASSWORD = PASSWORD;
    assert.equal((await exported(shell, as))[0], 4);
    Object.assign(shell.env, { PH_EMAIL: author.email, PH_TOKEN: editor.token });
    assert.equal((await exported(shell, ['--url', url, '--password-stdin'], PASSWORD))[0], 4, 'not PH_TOKEN');
  });

  test('is one: a credential beside an e-mail or a password is refused, as are two passwords', async () => {
    const shell = new Shell({ POSTHORN_URL: url });
    for (const [args, line] of [
      [['--token', editor.token, '--email', author.email], 'posthorn: give either --token, or --email with a password'],
      [['--key', editor.token, '--password', PASSWORD], 'posthorn: give either --key, or --email with a password'],
    ] as const)
      assert.deepEqual(await exported(shell, args), [2, line]);
    const two = ['--email', author.email, '--password', PASSWORD, '--password-stdin'];
    assert.equal((await exported(shell, two))[0], 2);
    const piped = ['import', 'ndjson', '-', '--email', editor.email, '--password-stdin'];
    const { code, err } = await shell.start(piped, PASSWORD).ended();
    assert.deepEqual([code, err], [2, 'posthorn: standard input is the posts, so it cannot be the password\n']);
  });

  test('is asked for the password on a terminal, which does not show it', async () => {
    const shell = await signedIn();
    const args = [...EXPORT, '--email', author.email];
    const { code, seen } = await onTerminal(shell, args, [[/Password:/, `${PASSWORD}\r`]]);
    assert.deepEqual([code, seen.includes('FORBIDDEN'), seen.includes(PASSWORD)], [4, true, false], seen);
  });
});
