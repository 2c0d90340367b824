import type { AccountsPlatform } from '../platform.ts';
import { secretContext } from './issue-key.ts';
import { lastSecrets } from './store.ts';

/** So many keys are tried: of an installation whose key was lost and replaced, the new ones are the last. */
const TRIED = 20;

/** Whether the master key of this process opens any of the last signing secrets, or there is none. */
export async function opensSecrets({ db, cipher }: Pick<AccountsPlatform, 'db' | 'cipher'>): Promise<boolean> {
  const secrets = await lastSecrets(db, TRIED);
  const opens = ({ keyId, sealed }: (typeof secrets)[number]): boolean => {
    try {
      return cipher.open(sealed, secretContext(keyId)) !== '';
    } catch {
      return false;
    }
  };
  return secrets.length === 0 || secrets.some(opens);
}
