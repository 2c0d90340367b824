import { createCipher } from '../../../lib/cipher.ts';
import { opensSecrets } from '../../../modules/accounts/index.ts';
import { type Config, findMasterKey } from '../../../platform/config/index.ts';
import type { Db } from '../../../platform/db/index.ts';
import { fail, type Finding, ok } from '../finding.ts';

const WHAT = 'master key';

/** Whether the master key is the one that the secrets in the database were sealed by. Makes none where there is none yet. */
export async function checkSecrets(db: Db, config: Config): Promise<Finding> {
  const { POSTHORN_MASTER_KEY: set, POSTHORN_DATA_DIR: dir } = config;
  const where = set === undefined ? dir : 'POSTHORN_MASTER_KEY';
  let key: Buffer | null;
  try {
    key = await findMasterKey(config);
  } catch (error) {
    return fail(WHAT, (error as Error).message, `no start succeeds until the key is in ${dir} again`);
  }
  // Where there is none yet, a start would make one: it is then as good as any other that is new.
  if (await opensSecrets({ db, cipher: createCipher(key ?? Buffer.alloc(32)) })) {
    return ok(
      WHAT,
      key === null ? `there is none in ${dir} yet; the next start makes it` : `it fits the database (${where})`,
    );
  }
  const found =
    key === null
      ? `there is none in ${dir}, and the database has secrets`
      : 'it opens none of the last secrets in the database';
  const todo =
    'give it the key of the other nodes, or of the backup: nothing is signed without it. Where that is lost, rotate the API keys of each account';
  return fail(WHAT, `${found} (${where})`, todo);
}
