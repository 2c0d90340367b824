import { Worker } from 'node:worker_threads';
import { AppError } from '../../../contracts/errors.ts';
import { createGate, GateFullError } from '../../../lib/gate.ts';
import { onThreadMessage } from '../../../lib/thread-messages.ts';
import { type Problem, warning } from './problems.ts';
import { readBody } from './read-body.ts';

/** Up to here any text is read within some milliseconds, whatever it is made of. UTF-16 units. */
const SHORT = 20_000;
/** A text made of unfinished links takes time that grows with its square. Milliseconds. */
const DEADLINE_MS = 5000;

function readInThread(markdown: string, deadlineMs: number): Promise<Problem[]> {
  return new Promise((done) => {
    const thread = new Worker(new URL('./check-thread.ts', import.meta.url), {
      workerData: markdown,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const end = (problems: Problem[] | null): void => {
      clearTimeout(timer);
      thread.removeAllListeners();
      thread.on('error', () => undefined);
      void thread.terminate();
      done(problems ?? [warning('BODY_NOT_CHECKED', 'body', 'The body is too long or too unusual to be checked.')]);
    };
    const timer = setTimeout(() => end(null), deadlineMs);
    onThreadMessage(thread, (problems: Problem[]) => end(problems));
    thread.on('error', () => end(null));
    thread.on('exit', () => end(null));
  });
}

/** Long bodies are read one after the other, off the event loop. */
const gate = createGate(1, 50);

/** What is wrong with a body; see readBody. Never takes the event loop for long. Throws UNAVAILABLE. */
export async function checkBody(markdown: string, deadlineMs = DEADLINE_MS): Promise<Problem[]> {
  if (markdown.length <= SHORT) return readBody(markdown);
  try {
    return await gate(() => readInThread(markdown, deadlineMs));
  } catch (error) {
    if (!(error instanceof GateFullError)) throw error;
    throw new AppError('UNAVAILABLE', { headers: { 'retry-after': '5' }, cause: error });
  }
}
