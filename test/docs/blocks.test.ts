import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { GUIDES } from './all-pages.ts';
import { parsePage } from './page.ts';
import { runBlocks } from './run-blocks.ts';
import { openWorld, type World } from './world.ts';

/** What the pages' commands use besides Node, npm and git. */
const missing = ['bash', 'curl', 'openssl'].filter(
  (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
);
const options = { skip: missing.length > 0 && `the pages' commands need ${missing.join(', ')}` } as const;
// Without them nothing below runs that would ask for it.
const world = (missing.length === 0 ? await openWorld() : null) as World;
const withBlocks = GUIDES.filter((page) => page.blocks.length > 0);
const executed: Record<string, number> = {};
const elsewhere: string[] = [];

describe('every block of a page does what the page says', options, () => {
  for (const page of withBlocks) {
    test(page.path, async (t) => {
      const result = await runBlocks(page, world);
      for (const [language, number] of Object.entries(result.executed))
        executed[language] = (executed[language] ?? 0) + number;
      elsewhere.push(...result.elsewhere);
      t.diagnostic(`${page.path}: ${JSON.stringify(result.executed)}`);
      assert.deepEqual(result.faults, []);
    });
  }

  test('and there are as many as were seen', (t) => {
    const sum = Object.values(executed).reduce((all, number) => all + number, 0);
    t.diagnostic(`${sum} blocks executed: ${JSON.stringify(executed)}`);
    for (const line of elsewhere) t.diagnostic(`elsewhere: ${line}`);
    assert.ok(sum >= 90, `only ${sum}`);
  });
});

describe('an injected fault is found', options, () => {
  let injected = 0;
  const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;
  for (const [info, text, says] of [
    ['sh', 'curl -sS http://127.0.0.1:3000/v1/blog/nothing | cat', /ended with 22/],
    ['sh', 'echo one\nfalse\necho two', /fails/],
    ['sh', 'echo "$NOBODY_SETS_THIS"', /unbound variable/],
    ['sh', 'NO_SUCH_VALUE=…', /no value for NO_SUCH_VALUE/],
    ['sh', 'echo whsec_…', /nobody to run/],
    ['sh', 'posthorn imports markdown', /unknown command/],
    ['sh run-by=test/docs/nobody.test.ts', 'true', /there is no test\/docs\/nobody/],
    ['sh run-by=test/docs/nginx-page.test.ts', 'true', /has nothing of 'docs\/injected/],
    ['sh run-by=.ci/run', 'npm ci && npm audit', /has nothing of npm audit/],
    ['sh run-by=scripts/test.ts', 'npm run openapi', /has nothing of npm run openapi/],
    ['js', 'const a: number = 1;', /SyntaxError/],
    ['js', 'export const verify = (body) => JSON.parse(body);', /takes a body that was changed/],
    ['ts', "export const a: number = 'text';", /TS2322/],
    ['json', '{"a": 1,}', /JSON/],
    ['json', '{"a": 1}', /nobody says what it is/],
    ['json reply="publishEvents 202"', '{"data": [{"id": 1}]}', /must/],
    ['json', '{"event": "checkout.started", "side": "LEFT"}', /must/],
    ['json', '{"event": "offer.cancelled", "offerId": 7}', /offerId/],
    ['yaml', 'a: [1', /flow/i],
    ['sql', 'select nothing from nowhere;', /nowhere/],
    ['nginx', 'location / {', /not closed/],
    ['python', 'print(1)', /nobody knows how/],
    ['', 'text', /nobody knows how/],
  ] as const) {
    test(`${info}: ${text}`, async () => {
      const { faults } = await runBlocks(parsePage(`docs/injected-${++injected}.md`, fence(info, text)), world);
      assert.match(faults.join('\n'), says);
    });
  }

  test('a line that is not printed', async () => {
    const page = parsePage('docs/printed.md', fence('sh', 'echo one; echo two') + fence('text output', 'two\none'));
    assert.match((await runBlocks(page, world)).faults.join('\n'), /does not print: one/);
  });

  test('a line that nothing in the background prints', async () => {
    const server = "node -e \"console.log('ready'); require('http').createServer(() => {}).listen(4000)\"";
    const page = (line: string): string => fence('sh background=4000', server) + fence('text output=4000', line);
    assert.deepEqual((await runBlocks(parsePage('docs/back.md', page('ready')), world)).faults, []);
    assert.match(
      (await runBlocks(parsePage('docs/back2.md', page('set')), world)).faults.join('\n'),
      /does not print: set/,
    );
  });

  test('and what is right is not', async () => {
    const text =
      fence('sh', 'A=…\necho "$A and $B"').replace('A=…', 'BLOG_KEY=…\nA=1\nB=2') + fence('text output', '1 and …');
    assert.deepEqual((await runBlocks(parsePage('docs/right.md', text), world)).faults, []);
  });
});
