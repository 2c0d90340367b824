import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicNow } from '../../src/lib/clock.ts';
import { ROOT } from './step.ts';
import { END, RECORD, type TestRecord } from './test-reporter.ts';

/** A test that takes longer hangs. Milliseconds. */
const TEST_TIMEOUT_MS = 180_000;
/** A file that takes longer hangs, in something that is no test. Milliseconds. */
export const FILE_TIMEOUT_MS = 400_000;

export interface FileRun {
  file: string;
  /** In addition to the environment of this process. */
  env: Record<string, string>;
  /** An existing folder for what the file reports; one for each run of a file. */
  folder: string;
}

export interface FileResult {
  records: TestRecord[];
  /** For people: what the file wrote, and its failures in full. */
  text: string;
  seconds: number;
}

/** Options of a process that runs tests and writes what comes of them into `report`. */
export const testFlags = (report: string): string[] => [
  '--import=./scripts/lib/test-scope.ts',
  `--test-timeout=${TEST_TIMEOUT_MS}`,
  '--test-reporter=./scripts/lib/test-reporter.ts',
  `--test-reporter-destination=${report}`,
];

/** What a report says: the records, lines for people, and whether its last record is there. A line that is not whole is left out. */
export function parseReport(report: string): { records: TestRecord[]; lines: string[]; isWhole: boolean } {
  const all = report.slice(0, report.lastIndexOf('\n') + 1).split('\n');
  const told = all.filter((line) => line.startsWith(RECORD)).map((line) => line.slice(RECORD.length));
  return {
    records: told.filter((line) => line !== END).map((line) => JSON.parse(line) as TestRecord),
    lines: all.filter((line) => !line.startsWith(RECORD)),
    isWhole: told.includes(END),
  };
}

/** The result of a file; a fault is a failed record of the file itself. */
export function resultOf(
  file: string,
  told: { records: TestRecord[]; lines: string[]; output: string; started: number; fault: string | null },
): FileResult {
  const { records, lines, output, started, fault } = told;
  if (fault !== null) records.push({ id: `${file} › the file itself: ${fault}`, outcome: 'failed' });
  return {
    records,
    text: [output.trimEnd(), ...lines].join('\n').trim(),
    seconds: (monotonicNow() - started) / 1000,
  };
}

/**
 * Runs one test file in a process of its own, to its end. Whatever keeps it from telling how its tests ended (it does not
 * load, it is killed, it ends too early) is a failed record of the file itself.
 */
export async function runTestFile({ file, env, folder }: FileRun): Promise<FileResult> {
  const started = monotonicNow();
  // Not by way of standard output: what a test writes there may stand in the middle of a line.
  const report = join(folder, 'report');
  const child = spawn(process.execPath, [...testFlags(report), file], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: FILE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const take = (text: string): void => void (output += text);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const told = parseReport(await readFile(report, 'utf8').catch(() => ''));
  return resultOf(file, { ...told, output, started, fault: faultOf({ code, signal, ...told }) });
}

interface Ending {
  code: number | null;
  signal: string | null;
  /** Its last record is there. */
  isWhole: boolean;
  records: readonly TestRecord[];
}

function faultOf({ code, signal, isWhole, records }: Ending): string | null {
  if (signal !== null) return `ended by ${signal}`;
  if (!isWhole) return `ended with code ${code} before its tests did`;
  return code !== 0 && !records.some((r) => r.outcome === 'failed') ? `ended with code ${code}` : null;
}
