import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** The largest memory of a process that opens an embedded database, in which there is said to be so much, and has it parse some statements. Bytes. */
async function peakWith(memory: number): Promise<number> {
  const script = `
    const { createPglite } = await import(${JSON.stringify(new URL('./open.ts', import.meta.url).href)});
    const pglite = await createPglite({}, ${memory});
    for (let i = 0; i < 300; i++) await pglite.query(\`select \${i} as a, case when \${i} > 3 then 'x' else 'y' end as b\`);
    await new Promise((done) => setTimeout(done, 1000));
    await pglite.close();
    // What getrusage tells begins with the memory of the process that started this one.
    const { readFileSync } = await import('node:fs');
    const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
    console.log(1024 * Number(/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return Number(stdout);
}

test('with little memory the embedded database is not optimized, which takes half a gigabyte for a moment', async () => {
  const [much, little] = [await peakWith(16 * 2 ** 30), await peakWith(2 ** 30)];
  assert.ok(little < 900e6, `${little} bytes`);
  assert.ok(little < much - 250e6, `${little} and ${much} bytes`);
});
