import { lineOf, runStep, type Step } from './lib/step.ts';

/** Everything that can be said about the code without running the service. */
const STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the client', command: ['tsc', '--noEmit', '-p', 'client'] },
  { name: 'types of the examples', command: ['tsc', '--noEmit', '-p', 'examples'] },
  { name: 'types of the dashboard', command: ['tsc', '--noEmit', '-p', 'dashboard'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet'] },
  { name: 'format', command: ['biome', 'format', '.'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'architecture', command: ['node', '--test', '--test-reporter=dot', 'test/architecture.test.ts'] },
];

const results = await Promise.all(
  STEPS.map(async (step) => {
    const result = await runStep(step);
    console.log(lineOf(result));
    return result;
  }),
);
const failed = results.filter((r) => !r.ok);
for (const { name, output } of failed) console.log(`\n${name}:\n${output.trimEnd()}`);
if (failed.some((r) => r.name === 'lint' || r.name === 'format'))
  console.log('\n`npm run fix` mends what can be mended by itself.');
process.exitCode = failed.length === 0 ? 0 : 1;
