import { Worker } from 'node:worker_threads';
import { onThreadMessage } from '../../../lib/thread-messages.ts';
import { renderPlain, renderWith, type Rendering } from './render-with.ts';

/** A text that takes longer becomes escaped paragraphs. Real texts of 850 kB take a third of this. Milliseconds. */
const DEADLINE_MS = 5000;
/** A new thread that is not ready after this long is given up: on a busy machine it takes seconds. Milliseconds. */
const START_MS = 30_000;
const THREAD = new URL('./render-thread.ts', import.meta.url);
/** A thread without work ends after this long; the next text starts another. Milliseconds. */
const IDLE_MS = 30_000;
/** Of a thread's heap; real texts need a tenth. MiB. */
const HEAP_MB = 512;

interface Job {
  markdown: string;
  done(rendering: Rendering): void;
}

/**
 * Renders texts one after the other in a thread of its own, so that no text blocks the service, whatever it is made of:
 * a thread that does not answer in time, or dies, is ended and its text becomes escaped paragraphs.
 */
export class Renderer {
  readonly #deadlineMs: number;
  readonly #url: URL;
  readonly #waiting: Job[] = [];
  readonly #under = new Map<string, Promise<Rendering>>();
  #thread: Worker | undefined;
  #isReady = false;
  #job: Job | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(deadlineMs = DEADLINE_MS, url = THREAD) {
    this.#deadlineMs = deadlineMs;
    this.#url = url;
  }

  /** Never rejects. The same text asked for twice at once is rendered once. */
  render(markdown: string): Promise<Rendering> {
    const under = this.#under.get(markdown);
    if (under) return under;
    const rendering = new Promise<Rendering>((done) => this.#waiting.push({ markdown, done }));
    this.#under.set(markdown, rendering);
    void rendering.then(() => this.#under.delete(markdown));
    this.#next();
    return rendering;
  }

  #next(): void {
    if (this.#job) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#job = job;
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#start());
    this.#endAfter(this.#isReady ? this.#deadlineMs : START_MS, thread);
    thread.ref();
    thread.postMessage(job.markdown);
  }

  #endAfter(ms: number, thread: Worker): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#giveUp(thread), ms);
  }

  #start(): Worker {
    this.#isReady = false;
    const thread = new Worker(this.#url, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    onThreadMessage(thread, (rendering: Rendering | null) => {
      if (rendering === null) this.#ready(thread);
      else this.#end(thread, rendering);
    });
    thread.on('error', () => this.#giveUp(thread));
    thread.on('exit', () => this.#giveUp(thread));
    return thread;
  }

  /** The time of a text begins now: what it took to start the thread says nothing of the text. */
  #ready(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#isReady = true;
    if (this.#job) this.#endAfter(this.#deadlineMs, thread);
  }

  #giveUp(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    void thread.terminate();
    if (this.#job) this.#end(undefined, { ...renderPlain(this.#job.markdown), gaveUp: true });
  }

  #end(thread: Worker | undefined, rendering: Rendering): void {
    const job = this.#job;
    if (!job || thread !== this.#thread) return;
    clearTimeout(this.#deadline);
    this.#job = undefined;
    job.done(rendering);
    this.#next();
    if (thread && !this.#job) this.#rest(thread);
  }

  /** A thread that rests keeps no process running, and ends after a while. */
  #rest(thread: Worker): void {
    thread.unref();
    this.#idle = setTimeout(() => this.#giveUp(thread), IDLE_MS).unref();
  }
}

/** One thread for the whole process. */
const renderer = new Renderer();

/** Short texts without code or tables are rendered at once: whatever they are made of, they take 20 ms at most. */
const SHORT = 2000;

const noColours = (): string => '';

/** The text as safe HTML, with its headings. Never rejects, and never takes the event loop for long. */
export const render = async (markdown: string): Promise<Rendering> =>
  markdown.length <= SHORT && !/[`|]|~~~/.test(markdown) ? renderWith(markdown, noColours) : renderer.render(markdown);

/** The same within a time; null when it takes longer. It goes on meanwhile, for whoever asks for the same text next. */
export async function renderWithin(markdown: string, ms: number): Promise<Rendering | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), ms);
  });
  try {
    return await Promise.race([render(markdown), late]);
  } finally {
    clearTimeout(timer);
  }
}
