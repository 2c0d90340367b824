import type { OpenLoopJob, OpenLoopResult } from './open-loop.ts';
import { child } from './processes.ts';

/** Requests at a fixed rate by a process of their own. Throws when one is not answered with 2xx. */
export async function atRate(job: OpenLoopJob, name: string): Promise<OpenLoopResult> {
  const client = child('./open-loop.ts');
  client.process.stdin?.write(`${JSON.stringify(job)}\n`);
  const result = JSON.parse(await client.line()) as OpenLoopResult;
  if (result.failed > 0) throw new Error(`${result.failed} of ${name} failed`);
  return result;
}
