import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Names of fields that may hold a secret wherever they appear in a logged object. */
const SECRET_FIELDS = ['password', 'authorization', 'cookie', 'key', 'signingSecret', 'accessToken', 'token', 'secret'];

/** JSON lines on standard output. Secrets are removed by field name, at the top and one level down. */
export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`, `*["${f}"]`]), censor: '[redacted]' },
    },
    ...(destination ? [destination] : []),
  );
}
