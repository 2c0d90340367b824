import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from './step.ts';

/** Before a line that is meant for scripts/test.ts, not for people. */
export const RECORD = '\u0001';
/** The last record of a file: everything before it has come. */
export const END = 'end';
/** The test that scripts/lib/shared-process.ts adds behind those of a file. */
export const END_OF_FILE = 'what the file made is undone';

/** How one test ended. */
export interface TestRecord {
  /** File and name: the same on every database. */
  id: string;
  /** `entered`: a suite that was not skipped; its tests tell how they ended. */
  outcome: 'passed' | 'failed' | 'skipped' | 'entered';
  reason?: string;
}

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data'];

const where = (data: Ended): string => relative(ROOT, data.file ?? '');

function failureText(data: Ended): string {
  const error = (data.details as { error?: Error }).error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? String(cause)) : inspect(cause);
  const values =
    cause instanceof Error && 'actual' in cause && 'expected' in cause && cause.constructor.name !== 'AssertionError'
      ? `\n${inspect({ actual: cause.actual, expected: cause.expected }, { depth: 5 })}`
      : '';
  const indented = `${text}${values}`.split('\n').slice(0, 60).join('\n    ');
  return `\n  FAILED ${where(data)}:${data.line ?? 0} ${data.name}\n    ${indented}\n`;
}

/** A suite fails because of a test in it, which is told by itself. */
const isEcho = (data: Ended): boolean =>
  (data.details as { error?: { failureType?: string } }).error?.failureType === 'subtestsFailed';

/**
 * What a person needs of a long run: every failure in full, nothing of what passed. Each test's end also goes to
 * scripts/test.ts as a record, which counts over all databases. Runs in the process of the test file.
 */
export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const record = (r: TestRecord): string => `${RECORD}${JSON.stringify(r)}\n`;
  for await (const { type, data } of source) {
    if (type === 'test:pass' && data.name === END_OF_FILE) {
      yield `${RECORD}${END}\n`;
    } else if (type === 'test:pass') {
      const id = `${where(data)} › ${data.name}`;
      if (data.skip !== undefined) yield record({ id, outcome: 'skipped', reason: String(data.skip) });
      else yield record({ id, outcome: data.details.type === 'suite' ? 'entered' : 'passed' });
    } else if (type === 'test:fail' && !isEcho(data)) {
      yield failureText(data);
      yield record({ id: `${where(data)} › ${data.name}`, outcome: 'failed' });
      if (data.name === END_OF_FILE) yield `${RECORD}${END}\n`;
    } else if (type === 'test:summary') {
      yield `${RECORD}${END}\n`;
    }
  }
}
