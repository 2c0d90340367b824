import { monotonicNow } from '../../lib/clock.ts';
import { type Log, messageOf } from '../log/log.ts';
import { Seldom } from '../log/seldom.ts';
import type { TellFailure } from './refusals.ts';

/**
 * What is our fault is an error. That too much is asked for at once, without anything that failed, may be said as often as it is asked. While
 * the database is away each request fails by the same: it has its line, but where it failed in our code is told once a minute, since a thousand
 * a second would fill a disk with that in an hour. `now`: milliseconds, on a clock that never jumps.
 */
export function failureTeller(log: Log, now = monotonicNow): TellFailure {
  const kinds = new Seldom(now);
  return (error, about) => {
    const { code, message, cause } = error;
    if (code !== 'UNAVAILABLE') log.error({ err: cause ?? error, ...about }, message);
    else if (cause === undefined) log.info(about, message);
    else {
      const reason = messageOf(cause as Error);
      if (kinds.due(reason) === null) log.error({ reason, ...about }, message);
      else log.error({ err: cause, ...about }, message);
    }
  };
}
