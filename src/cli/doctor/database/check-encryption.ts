import type { Config } from '../../../platform/config/index.ts';
import { type Way, wayTo } from '../../../platform/db/index.ts';
import { isPublicAddress } from '../../../platform/outbound/index.ts';
import { type Finding, warn } from '../finding.ts';

const ADDRESSES = ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'READ_DATABASE_URL'] as const;

/** Whether others can read what goes to a database. Nothing where it is encrypted, or does not leave a private network, which may be trusted. */
export function encryptionFindings(setting: string, { address, isEncrypted }: Way): Finding[] {
  if (isEncrypted || address === null || !isPublicAddress(address)) return [];
  const found = `what goes to ${address} and comes from there is not encrypted (${setting})`;
  return [warn('encryption', found, 'end its address with ?sslmode=verify-full, or reach it over a private network')];
}

/** The same for each address of the settings. One that leads nowhere is told by others. */
export async function checkEncryption(config: Pick<Config, (typeof ADDRESSES)[number]>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const setting of ADDRESSES) {
    const url = config[setting];
    const way = url === undefined ? null : await wayTo(url).catch(() => null);
    if (way !== null) findings.push(...encryptionFindings(setting, way));
  }
  return findings;
}
