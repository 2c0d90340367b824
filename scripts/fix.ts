import { lineOf, runStep, type Step } from './lib/step.ts';

/** One after the other: both write the same files. */
const STEPS: readonly Step[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet', '--fix'] },
  { name: 'format', command: ['biome', 'format', '--write', '.'] },
];

for (const step of STEPS) {
  const result = await runStep(step);
  console.log(lineOf(result));
  if (!result.ok) {
    console.log(result.output.trimEnd());
    process.exitCode = 1;
  }
}
