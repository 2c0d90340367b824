import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { childEnv } from '../../../test/helpers/child-env.ts';
import { memoryOfProcess } from './open.ts';

const GIB = 2 ** 30;
/** Beyond this, something large was optimized. Bytes. */
const OPTIMIZED = 950e6;

/**
 * The largest memory of a process that opens an embedded database, in which there is said to be so much, and has it parse statements:
 * a few hundred, and then until it has grown beyond `until`, for some seconds at most. Bytes.
 */
async function peakWith(memory: number, until: number): Promise<number> {
  const script = `
    const { createPglite } = await import(${JSON.stringify(new URL('./open.ts', import.meta.url).href)});
    const { readFileSync } = await import('node:fs');
    // What getrusage tells begins with the memory of the process that started this one.
    const status = () => (process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '');
    const peak = () => 1024 * Number(/VmHWM:\\s+(\\d+)/.exec(status())?.[1] ?? process.resourceUsage().maxRSS);
    const pglite = await createPglite({}, ${memory});
    const end = performance.now() + 20_000;
    for (let i = 0; i < 2000 || (peak() < ${until} && performance.now() < end); i++)
      await pglite.query(\`select \${i} as a, case when \${i} > 3 then 'x' else 'y' end as b\`);
    await pglite.close();
    console.log(peak());`;
  const options = { env: childEnv };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  return Number(stdout);
}

test('with little memory the embedded database is not optimized, which takes half a gigabyte for a moment', async () => {
  const little = await peakWith(GIB, 0);
  assert.ok(little < 900e6, `${little} bytes`);
  const much = await peakWith(16 * GIB, OPTIMIZED);
  assert.ok(much > OPTIMIZED, `${much} bytes`);
});

test('what there is of memory is that of the machine, or of a container with less', () => {
  assert.equal(memoryOfProcess(8 * GIB, GIB / 2), GIB / 2);
  for (const none of [0, 2 ** 64, 16 * GIB]) assert.equal(memoryOfProcess(8 * GIB, none), 8 * GIB);
});
