import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicNow } from '../../src/lib/clock.ts';
import { FILE_TIMEOUT_MS, type FileResult, parseReport, resultOf, testFlags } from './run-test-file.ts';
import { ROOT } from './step.ts';
import { END_OF_FILE } from './test-reporter.ts';

/** A process that has grown beyond this is not given another file. An embedded database alone takes half a gigabyte. Bytes. */
const LARGE = Math.max(1_000_000_000, totalmem() / 10);
/** How long the last lines of a report are waited for once the file has ended. Milliseconds. */
const REPORT_TIMEOUT_MS = 10_000;

interface Done {
  /** What is wrong beside its tests. */
  fault: string | null;
  /** It was loaded, and its tests ran to their end. */
  isWhole: boolean;
  /** Resident memory of the process. */
  bytes: number;
}

export interface ProcessOptions {
  /** In addition to the environment of this process. */
  env: Record<string, string>;
  /** An existing folder for what its files report; this process's alone. */
  folder: string;
}

/**
 * Runs test files one after the other in one process, which loads what they share once. One that crashes, hangs, or could not
 * load a file is replaced before the next.
 */
export class TestProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #report = '';
  #read = 0;
  #output = '';
  #count = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  #start(): ChildProcess {
    const { env, folder } = this.#options;
    this.#report = join(folder, `report-${++this.#count}`);
    this.#read = 0;
    const child = spawn(process.execPath, [...testFlags(this.#report), 'scripts/lib/shared-process.ts'], {
      cwd: ROOT,
      // Where a test starts it, it is none of that test's processes.
      env: { ...process.env, ...env, NODE_TEST_CONTEXT: undefined, TEST_SHARED: '1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const take = (text: string): void => void (this.#output += text);
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    this.#child = child;
    return child;
  }

  /** What was reported since it was last asked. */
  async #unread(): Promise<string> {
    const file = await open(this.#report).catch(() => null);
    if (file === null) return '';
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - this.#read), 0, size - this.#read, this.#read);
      this.#read += bytesRead;
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Everything up to the end of the file; what there is when the end does not come. */
  async #rest(): Promise<ReturnType<typeof parseReport>> {
    const deadline = monotonicNow() + REPORT_TIMEOUT_MS;
    let text = await this.#unread();
    while (!parseReport(text).isWhole && monotonicNow() < deadline) {
      await sleep(5);
      text += await this.#unread();
    }
    return parseReport(text);
  }

  /** Runs one to its end, when the one before has ended. */
  async run(file: string): Promise<FileResult> {
    const started = monotonicNow();
    const child = this.#child ?? this.#start();
    this.#output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), FILE_TIMEOUT_MS);
    const over = new AbortController();
    const { signal } = over;
    const ended = once(child, 'exit', { signal }).then(
      ([code, by]) => ({
        fault: `ended ${by ? `by ${by}` : `with code ${code}`} before its tests did`,
        isWhole: false,
      }),
      (error: Error) => ({ fault: error.message, isWhole: false }),
    );
    const done = once(child, 'message', { signal }).then(
      ([message]) => message as Done,
      () => ended,
    );
    child.send(resolve(ROOT, file));
    const end: Omit<Done, 'bytes'> & Partial<Done> = await Promise.race([done, ended]);
    clearTimeout(timer);
    over.abort();
    // A file that did not get to its end tells none.
    const told = end.isWhole ? await this.#rest() : parseReport(await this.#unread());
    const fault = end.fault ?? (told.isWhole ? null : 'does not tell how its tests ended');
    if (fault !== null || (end.bytes ?? 0) > LARGE) this.close();
    const lines = told.lines.map((line) => line.replace('FAILED scripts/lib/shared-process.ts', `FAILED ${file}`));
    const records = told.records.map((r) =>
      r.id.endsWith(END_OF_FILE) ? { ...r, id: `${file} › ${END_OF_FILE}` } : r,
    );
    return resultOf(file, { ...told, lines, records, output: this.#output, started, fault });
  }

  /** Ends the process; the next file has a new one. */
  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
