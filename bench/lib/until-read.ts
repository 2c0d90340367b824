import { withClient } from './processes.ts';

/** Looks, half a second apart: two minutes. */
const MOST_LOOKS = 240;

/**
 * Until every reader of the log has come to its end, sealing too: what one phase leaves to be done is not measured in the next. Throws when
 * that takes longer than two minutes.
 */
export function untilRead(databaseUrl: string): Promise<void> {
  const behind = `select from event_readers where not divided and position < (select coalesce(max(position), 0) from events) limit 1`;
  return withClient(databaseUrl, async (client) => {
    for (let looks = 0; (await client.query(behind)).rows.length > 0; looks++) {
      if (looks > MOST_LOOKS) throw new Error('the readers do not come to the end of the log');
      await new Promise((done) => setTimeout(done, 500));
    }
  });
}
