import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, ROOT, runStep } from './lib/step.ts';

/**
 * `npm run build`, and by itself at the end of `npm ci`: the dashboard, from dashboard/ into dashboard/dist, from where
 * the service serves it, and the client library into client/dist, as it is published. The service itself has no build.
 */
const STEPS = [
  { name: 'dashboard', command: ['vite', 'build', 'dashboard', '--logLevel', 'warn'] },
  { name: 'client', command: ['tsc', '-p', 'client'] },
] as const;

async function build(): Promise<void> {
  // `npx posthorn` installs this folder into npm's cache, once for each user, and has it prepared again. It is built already, and may be in use.
  if (process.env.npm_command === 'exec') return;
  if (!existsSync(join(ROOT, 'node_modules/vite'))) {
    console.log('The dashboard was not built: that takes the development packages (`npm ci` without `--omit=dev`).');
    return;
  }
  const results = await Promise.all(STEPS.map((step) => runStep(step)));
  for (const result of results) {
    console.log(lineOf(result));
    if (!result.ok) console.log(result.output.trimEnd());
  }
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
}

await build();
