import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, ROOT, runStep } from './lib/step.ts';

/**
 * `npm run build`, and by itself at the end of `npm ci`: the dashboard, from dashboard/ into dashboard/dist, from where
 * the service serves it. The service itself has no build.
 */
if (existsSync(join(ROOT, 'node_modules/vite'))) {
  const result = await runStep({ name: 'dashboard', command: ['vite', 'build', 'dashboard', '--logLevel', 'warn'] });
  console.log(lineOf(result));
  if (!result.ok) console.log(result.output.trimEnd());
  process.exitCode = result.ok ? 0 : 1;
} else {
  console.log('The dashboard was not built: that takes the development packages (`npm ci` without `--omit=dev`).');
}
