import { dividedReaders } from '../../../modules/events/index.ts';
import type { Config } from '../../../platform/config/index.ts';
import type { Db } from '../../../platform/db/index.ts';
import { type Finding, ok, warn } from '../finding.ts';

const WHAT = 'sending';

/** Whether each part of the sending has a holder, where it is divided (docs/adr/0034); nothing where it is not. */
export async function checkParts(
  db: Db,
  { FANOUT_PARTITIONS: setting }: Pick<Config, 'FANOUT_PARTITIONS'>,
): Promise<Finding[]> {
  const [reader] = await dividedReaders(db);
  if (!reader) return [];
  const { parts, held, nodes } = reader;
  const raised =
    parts > Number(setting) ? `; FANOUT_PARTITIONS=${setting} changes nothing, since it is never lowered` : '';
  const found = `divided into ${parts} parts, ${held} of them held by ${nodes} processes${raised}`;
  if (held === parts) return [ok(WHAT, found)];
  return [warn(WHAT, found, 'start a node with role all or worker; where one runs, look at its log')];
}
