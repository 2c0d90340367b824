import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Names of fields that may hold a secret wherever they appear in a logged object. */
const SECRET_FIELDS = ['password', 'authorization', 'cookie', 'key', 'signingSecret', 'accessToken', 'token', 'secret'];

/** No database writes causes deeper than this, and one that is its own cause must not end the process. */
const MAX_CAUSES = 5;
/** What else of an error is worth a line: which rule of which table failed, never with which values. */
const TOLD = ['code', 'constraint', 'table'] as const;

/** What an error says. Node has no words of its own for a name with several addresses of which none answers, but has what each of them said. */
export const messageOf = (error: Error): string =>
  error.message === '' && error instanceof AggregateError
    ? error.errors.map((each) => (each instanceof Error ? each.message : '')).join('; ')
    : error.message;

/**
 * Only what is listed: errors of databases and HTTP clients carry parameters, queries and headers, and with them
 * password hashes and tokens, under names that no redaction knows.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? { message: error } : { type: typeof error };
  const fields = error as Error & Partial<Record<(typeof TOLD)[number], unknown>>;
  return {
    type: error.name,
    message: messageOf(error),
    stack: error.stack,
    ...Object.fromEntries(
      TOLD.flatMap((name) => (['string', 'number'].includes(typeof fields[name]) ? [[name, fields[name]]] : [])),
    ),
    ...(error.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: serializeError(error.cause, depth + 1) }),
  };
}

/** JSON lines on standard output. Secrets are removed by field name, at the top and one level down; of an
 * error only what `serializeError` lists. */
export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      serializers: { err: (error: unknown) => serializeError(error) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`, `*["${f}"]`]), censor: '[redacted]' },
    },
    ...(destination ? [destination] : []),
  );
}
