import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { PASSWORD, testService } from '../../../test/helpers/service.ts';
import { systemClock } from '../../lib/clock.ts';

const service = await testService({ withoutLoops: true });
const as = (token: string): Shell => new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: token });
const operator = as(await service.operator());
const reader = await service.user();

/** A member of one new account. */
async function member(): Promise<{ shell: Shell; account: string }> {
  const account = await service.account();
  await service.ok(204, 'PUT', `/v1/admin/accounts/${account}/members/${reader.id}`, {
    token: await service.operator(),
  });
  return { shell: as(reader.token), account };
}

describe('accounts and keys', () => {
  test('an operator makes an account and a key, by the account’s name', async () => {
    const told = await operator.ok('accounts', 'create', 'Lamp shop', '--type', 'MERCHANT');
    assert.match(told, /^id {4}[0-9a-f-]{36}\nname {2}Lamp shop\ntype {2}MERCHANT\n$/);
    const { code, out, err } = await operator.run(
      'keys',
      'create',
      'shop',
      '--account',
      'lamp SHOP',
      '--scope',
      'webhooks:manage',
      'inbound:write',
    );
    assert.equal(code, 0);
    assert.equal(err, 'Key and signing secret are shown now and never again.\n');
    const key = /^key +(\S+)$/m.exec(out)?.[1] ?? '';
    assert.match(out, /^signing secret {2}whsec_\S{44}$/m);
    assert.equal((await as(key).json('whoami')).kind, 'key');
    const { members, name } = await operator.json('accounts', 'show', 'Lamp shop');
    assert.deepEqual([members, name], [[], 'Lamp shop']);
  });

  test('an account is renamed, and the record tells by whom', async () => {
    const { id } = await operator.json('accounts', 'create', 'Old name', '--type', 'SITE');
    assert.match(await operator.ok('accounts', 'rename', 'old NAME', 'New name'), /^name {2}New name$/m);
    assert.equal((await operator.json('accounts', 'show', id)).name, 'New name');
    const told = await operator.ok('changes', '--thing', id, '--action', 'account.renamed', 'account.created');
    const [head = '', renamed = '', created = ''] = told.split('\n');
    assert.match(head, /^WHEN +BY +ACTION +WHAT +ACCOUNT +FIELDS$/);
    assert.match(renamed, / UTC +Operator +account\.renamed +New name +New name +name: Old name → New name$/);
    assert.match(created, / account\.created +Old name +New name +name: Old name, type: SITE$/);
    const { data } = await operator.json('changes', '--account', 'New name', '--since', '1h', '--limit', '1');
    assert.deepEqual([data.length, data[0].action], [1, 'account.renamed']);
    const refused = await operator.run('changes', '--by', 'nobody');
    assert.deepEqual([refused.code, /--by: must be a UUID/.test(refused.err)], [1, true], refused.err);
  });

  test('a second account of a name is made, and the first told', async () => {
    const create = (name: string) => operator.run('accounts', 'create', name, '--type', 'BUSINESS', '--json');
    const first = await create('Twin rooms');
    assert.deepEqual([first.code, first.err], [0, '']);
    // Part of a name is not the name.
    assert.equal((await create('Twin rooms II')).err, '');
    const second = await create('twin ROOMS');
    assert.equal(second.code, 0);
    assert.match(second.err, new RegExp(`^Another account has this name: ${JSON.parse(first.out).id}\\. Where `));
    assert.notEqual(JSON.parse(second.out).id, JSON.parse(first.out).id);
  });

  test('a key is rotated and revoked, and neither without being asked for', async () => {
    const { id, key, accountId } = await service.key(['blog:read']);
    const asked = await operator.run('keys', 'revoke', id);
    assert.deepEqual(
      [asked.code, asked.err],
      [2, `posthorn: Revoke key ${id} needs --yes where there is no terminal to ask on\n`],
    );
    const rotated = await operator.json('keys', 'rotate', id, '--overlap', '1h', '--yes');
    assert.notEqual(rotated.key, key);
    const list = await operator.ok('keys', 'list', '--account', accountId);
    assert.match(list, new RegExp(`^${id} .* until \\d{4}-.* UTC `, 'm'));
    assert.match(list, new RegExp(`^${rotated.id} .* valid `, 'm'));
    const next = await operator.json('keys', 'rotate', rotated.id, '--overlap', '0s', '--yes');
    const ended = await operator.ok('keys', 'list', '--account', accountId);
    assert.match(ended, new RegExp(`^${rotated.id} .* revoked \\d{4}-.* UTC `, 'm'));
    assert.equal(await operator.ok('keys', 'revoke', next.id, '--yes'), `Key ${next.id} is revoked.\n`);
    assert.equal((await as(next.key).run('whoami')).code, 4);
    const long = await operator.run('keys', 'rotate', id, '--overlap', '31d');
    assert.deepEqual(
      [long.code, /'--overlap <time>' argument '31d' is invalid. It is at most 30 days/.test(long.err)],
      [2, true],
    );
    for (const [args, told] of [
      [[], /never again\.\nThe old key and its secret work until \d{4}-.* UTC\.\n$/],
      [['--overlap', '30d'], /\nThe old key and its secret work until \d{4}-.* UTC\.\n$/],
      [['--overlap', '0s'], /\nThe old key and its secret do not work any more\.\n$/],
    ] as const) {
      const old = await service.key(['blog:read']);
      assert.match((await operator.run('keys', 'rotate', old.id, ...args, '--yes')).err, told);
    }
  });

  test('the end of a rotated key is told by the clock of the service, whatever it is here', async () => {
    const ahead = await testService({
      withoutLoops: true,
      clock: { ...systemClock, now: () => systemClock.now() + 40 * 86_400_000 },
    });
    const shell = new Shell({ POSTHORN_URL: ahead.url, POSTHORN_KEY: await ahead.operator() });
    const old = await ahead.key(['blog:read']);
    const { err } = await shell.run('keys', 'rotate', old.id, '--overlap', '7d', '--yes');
    const told = /The old key and its secret work until (\S+ \S+ UTC)\.\n$/.exec(err)?.[1] ?? err;
    const { data } = await shell.json('keys', 'list', '--all');
    const { expiresAt } = data.find(({ id }: { id: string }) => id === old.id);
    const apart = Date.parse(told.replace(' UTC', 'Z')) - Date.parse(expiresAt);
    assert.ok(Math.abs(apart) <= 2000, `${told} ${expiresAt}`);
  });

  test('a member has the keys of their account, and no others', async () => {
    const { shell, account } = await member();
    const issued = await shell.json('keys', 'create', 'mine', '--scope', 'webhooks:manage');
    assert.equal(issued.accountId, account);
    const { data } = await shell.json('keys', 'list');
    assert.deepEqual(
      data.map((k: { id: string }) => k.id),
      [issued.id],
    );
    const refused = await shell.run('keys', 'create', 'more', '--scope', 'events:publish');
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /^posthorn: VALIDATION_ERROR: .+ \[request \S+\]\n$/);
    assert.equal(refused.err.split(' --scope: ').length, 2, 'the reason is told once, of the option');
    assert.doesNotMatch(refused.err, /body/);
    await shell.ok('keys', 'revoke', issued.id, '--yes');
    const changes = (await shell.json('changes')).data;
    assert.deepEqual(
      changes.map((c: { action: string; account: { id: string } }) => [c.action, c.account.id]),
      ['api_key.revoked', 'api_key.created', 'member.added', 'account.created'].map((each) => [each, account]),
    );
    assert.equal((await shell.run('changes', '--account', await service.account())).code, 1);
    assert.match((await shell.run('accounts', 'create', 'x', '--type', 'SITE')).err, /^posthorn: FORBIDDEN: .*whoami/);
    assert.deepEqual((await shell.json('accounts', 'list')).data.length, 1);
    assert.equal((await shell.run('keys', 'list', '--account', 'Somebody else')).code, 1);
  });

  test('who revokes the last key of an account is told what that means', async () => {
    const { id } = await operator.json('accounts', 'create', 'One key', '--type', 'MERCHANT');
    const create = () => operator.json('keys', 'create', 'k', '--account', 'One key', '--scope', 'blog:read');
    const revoke = async (key: string, ...args: string[]) =>
      (await operator.run('keys', 'revoke', key, ...args, '--yes')).err;
    const first = await create();
    assert.equal(first.accountId, id);
    const next = await operator.json('keys', 'rotate', first.id, '--overlap', '1h', '--yes');
    const until = /^The account has no other valid key after \d{4}-\S+ \S+ UTC: what is for its endpoints is then held/;
    assert.match(await revoke(next.id), until);
    assert.match(await revoke(first.id), /^The account has no other valid key: what is for its endpoints is then held/);
    const spare = await create();
    const stays = await create();
    assert.equal(await revoke(spare.id), '');
    await operator.ok('accounts', 'create', 'Another', '--type', 'MERCHANT');
    const strange = `It is a key of One key (${id}), not of the account that --account names. The account has no other valid key: `;
    assert.ok((await revoke(stays.id, '--account', 'Another')).startsWith(strange));
    assert.equal(await revoke(stays.id), '', 'it is over already');
  });

  test('a list pages by itself, says when there is more, and shows nothing as nothing', async () => {
    for (let i = 0; i < 3; i++) await operator.ok('accounts', 'create', `Paged ${i}`, '--type', 'SITE');
    const some = await operator.run('accounts', 'list', '--search', 'paged', '--limit', '2');
    assert.equal(some.out.trim().split('\n').length, 3);
    assert.equal(some.err, 'There are more: --limit 20 shows more of them, --all every one.\n');
    const { data, hasMore } = await operator.json('accounts', 'list', '--search', 'paged', '--all');
    assert.deepEqual([data.length, hasMore], [3, false]);
    const none = await operator.run('accounts', 'list', '--search', 'nobody is called so');
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'No accounts.\n']);
  });
});

describe('users', () => {
  test('are made, changed, disabled and let in again', async () => {
    const created = await operator
      .start(
        ['users', 'create', 'ed@example.com', '--name', 'Ed', '--role', 'EDITOR', '--password-stdin', '--json'],
        PASSWORD,
      )
      .ended();
    assert.equal(created.code, 0, created.err);
    const { id } = JSON.parse(created.out);
    assert.match(
      await operator.ok('users', 'list', '--role', 'EDITOR'),
      new RegExp(`^${id} +ed@example.com +EDITOR `, 'm'),
    );
    const { blogRole, operator: may } = await operator.json(
      'users',
      'update',
      'ed@example.com',
      '--role',
      'NONE',
      '--operator',
    );
    assert.deepEqual([blogRole, may], [null, true]);
    assert.equal(await operator.ok('users', 'disable', 'ed@example.com', '--yes'), 'ed@example.com is disabled.\n');
    assert.match(await operator.ok('users', 'list', '--search', 'ed@'), / OPERATOR, disabled /);
    const out = await new Shell()
      .start(['login', '--url', service.url, '--email', 'ed@example.com', '--password-stdin'], PASSWORD)
      .ended();
    assert.equal(out.code, 4);
    assert.equal(await operator.ok('users', 'enable', id), 'ed@example.com is enabled.\n');
  });

  test('what is refused is called as it was given', async () => {
    const long = 'x'.repeat(201);
    for (const [args, name] of [
      [['accounts', 'show', long], '<account>'],
      [['accounts', 'list', '--search', long], '--search'],
      [['keys', 'list', '--account', long], '--account'],
      [['users', 'disable', long], '<user>'],
      [['users', 'create', 'short@example.com', '--name', 'S', '--password-stdin'], '--password-stdin'],
      [['users', 'create', 'none', '--name', 'S', '--password-stdin'], '<email>'],
    ] as const) {
      const { code, err } = await operator.start(args, name === '--password-stdin' ? 'short' : PASSWORD).ended();
      assert.deepEqual([code, err.startsWith(`posthorn: VALIDATION_ERROR: ${name}: `)], [1, true], err);
      assert.doesNotMatch(err, /body|query|path\./);
    }
  });

  test('what is nothing, or nobody, is told', async () => {
    const nothing = await operator.run('users', 'update', reader.id);
    assert.deepEqual(
      [nothing.code, nothing.err],
      [2, 'posthorn: nothing to change: give --name, --role or --operator\n'],
    );
    const nobody = await operator.run('users', 'disable', 'nobody@example.com', '--yes');
    assert.deepEqual(
      [nobody.code, nobody.err],
      [1, 'posthorn: there is no user "nobody@example.com": see "posthorn users list"\n'],
    );
  });
});
