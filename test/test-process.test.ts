import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../scripts/lib/step.ts';
import { TestProcess } from '../scripts/lib/test-process.ts';
import { cleanup } from './helpers/cleanup.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-test-process-'));
cleanup(() => rmSync(folder, { recursive: true, force: true }));

const IMPORTS = `import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { cleanup } from '${join(ROOT, 'test/helpers/cleanup.ts')}';
`;
let count = 0;

/** A test file with this text; its path. */
function fileOf(text: string): string {
  const file = join(folder, `${++count}.test.ts`);
  writeFileSync(file, `${IMPORTS}${text}`);
  return file;
}

const shared = new TestProcess({ env: {}, folder });
cleanup(() => shared.close());

/** Its tests by name, with how they ended. */
async function outcomesOf(file: string): Promise<Record<string, string>> {
  const { records } = await shared.run(file);
  const told = records.filter(({ outcome }) => outcome !== 'entered');
  return Object.fromEntries(told.map(({ id, outcome }) => [id.slice(id.indexOf(' › ') + 3), outcome]));
}

describe('one process for several test files', () => {
  test('hooks, variables and what is to be undone are of one file', async () => {
    const log = JSON.stringify(join(folder, 'log'));
    const first = fileOf(`
cleanup(() => appendFileSync(${log}, 'undone\\n'));
beforeEach(() => appendFileSync(${log}, 'hook\\n'));
process.env.OF_A_FILE = 'set';
test('passes', () => appendFileSync(${log}, 'test\\n'));
describe('a suite', () => test('passes too', { timeout: 1000 }, () => undefined));`);
    assert.deepEqual(await outcomesOf(first), { passes: 'passed', 'passes too': 'passed' });
    const second = fileOf(`
import { readFileSync } from 'node:fs';
test('begins afresh', () => {
  assert.equal(process.env.OF_A_FILE, undefined);
  assert.equal(readFileSync(${log}, 'utf8'), 'hook\\ntest\\nhook\\nundone\\n');
});`);
    assert.deepEqual(await outcomesOf(second), { 'begins afresh': 'passed' });
  });

  test('what a suite holds belongs to it also after it has waited, and is over before the file is undone', async () => {
    const log = JSON.stringify(join(folder, 'waited'));
    const file = fileOf(`
const turn = () => new Promise((done) => setTimeout(done, 5));
describe('a suite that waits', async () => {
  await turn();
  cleanup(() => appendFileSync(${log}, 'undone '));
  before(() => appendFileSync(${log}, 'before '));
  test('is in it', async () => (await turn(), appendFileSync(${log}, 'test ')));
  describe('one in it that waits', async () => {
    await turn();
    beforeEach(() => appendFileSync(${log}, 'each '));
    test('is in that', () => appendFileSync(${log}, 'inner '));
  });
});
test('follows', () => appendFileSync(${log}, 'last '));`);
    assert.deepEqual(await outcomesOf(file), { 'is in it': 'passed', 'is in that': 'passed', follows: 'passed' });
    assert.equal(readFileSync(join(folder, 'waited'), 'utf8'), 'before test each inner last undone ');
  });

  test('a failure and a skip are told, with the failure in full', async () => {
    const file = fileOf(`
test('fails', () => assert.equal(1, 2));
test('is skipped', { skip: 'why' }, () => undefined);`);
    const { records, text } = await shared.run(file);
    assert.deepEqual(
      records.flatMap(({ outcome, reason }) => (outcome === 'entered' ? [] : [[outcome, reason]])),
      [
        ['failed', undefined],
        ['skipped', 'why'],
      ],
    );
    assert.match(text, /FAILED .*fails\n.*1 !== 2/s);
  });

  test('what cannot be undone is a failure of its file', async () => {
    const file = fileOf(`cleanup(() => { throw new Error('it stays'); });\ntest('passes', () => undefined);`);
    const { records, text } = await shared.run(file);
    assert.deepEqual(
      records.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id),
      [`${file} › what the file made is undone`],
    );
    assert.match(text, /it stays/);
  });

  for (const [what, text] of [
    ['when its test has ended', "test('passes', () => void Promise.reject(new Error('late')));"],
    ['in a hook', "after(() => void Promise.reject(new Error('late')));\ntest('passes', () => undefined);"],
  ] as const) {
    test(`an error ${what} is a failure of the file`, async () => {
      const outcomes = await outcomesOf(fileOf(text));
      assert.deepEqual(outcomes, { passes: 'passed', 'the file itself: an error outside of its tests': 'failed' });
    });
  }

  for (const [what, text, fault] of [
    ['does not load', "throw new Error('no');", /Error: no/],
    ['ends the process', "test('exits', () => process.exit(3));", /ended with code 3 before its tests did/],
  ] as const) {
    test(`a file that ${what} has failed, and the next one runs all the same`, async () => {
      const { records } = await shared.run(fileOf(text));
      assert.match(records.find(({ outcome }) => outcome === 'failed')?.id ?? '', fault);
      assert.deepEqual(await outcomesOf(fileOf("test('runs', () => undefined);")), { runs: 'passed' });
    });
  }
});
