import type { Db } from '../../../platform/db/index.ts';
import { fail, type Finding } from '../finding.ts';
import { rightsOf } from './store.ts';

const WHAT = 'rights';

/** Whether the role of the settings may do what a start does: write, and make and alter tables. Nothing where it may. */
export async function checkRights(db: Db): Promise<Finding[]> {
  const { role, schema, isReadOnly, mayCreate, foreign } = await rightsOf(db);
  const findings: Finding[] = [];
  if (isReadOnly) {
    const todo = 'give DATABASE_URL the address of the primary, and let the role write (default_transaction_read_only)';
    findings.push(fail(WHAT, 'the database takes no writes: it is a standby, or read-only for this role', todo));
  }
  if (!mayCreate) {
    const todo = `make it the owner of the database ("alter database … owner to ${role}"), or grant create on the schema`;
    findings.push(
      fail(WHAT, `the role ${role} may not make tables in the schema ${schema ?? 'of its search_path'}`, todo),
    );
  }
  if (foreign !== null) {
    const todo = `let one role own all of them ("reassign owned by … to ${role}"), and use it for starts and for "npm run migrate"`;
    findings.push(fail(WHAT, `the role ${role} does not own all tables (${foreign})`, todo));
  }
  return findings;
}
