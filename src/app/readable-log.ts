import type { DestinationStream } from 'pino';

const time = (iso: unknown): string => (typeof iso === 'string' ? iso.slice(11, 19) : '');
const isError = (value: unknown): value is { message?: string; stack?: string } =>
  typeof value === 'object' && value !== null && 'message' in value;

function field([name, value]: [string, unknown]): string {
  if (isError(value)) return `\n${value.stack ?? value.message ?? ''}`;
  return ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** One line of the log for a person: `09:59:01 info  Posthorn is listening url=http://127.0.0.1:3000`. */
export function readableLine(line: string): string {
  const { level, time: at, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(field).join('');
  return `${time(at)} ${String(level).padEnd(5)} ${typeof msg === 'string' ? msg : ''}${fields}\n`;
}

/** For a terminal: the same log in lines for people instead of JSON. Times are UTC, as in the JSON. */
export const readableLog = (out: { write(text: string): unknown }): DestinationStream => ({
  write(line) {
    out.write(readableLine(line));
  },
});
