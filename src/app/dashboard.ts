import { fileURLToPath } from 'node:url';
import { readStaticSite, type ServedSite } from '../platform/http/index.ts';

/** Where `npm run build` puts it. */
const FOLDER = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url));

/** What a person must read who starts a service without it. */
export const NO_DASHBOARD =
  'The dashboard is not built: `npm ci` (with its development packages) or `npm run build` builds it. The API works without it.';

let read: Promise<ServedSite> | undefined;

/** The dashboard as it was built; read once in a process. */
export function dashboard(): Promise<ServedSite> {
  read ??= readStaticSite(FOLDER).then((site) => ({ prefix: '/dashboard', site, missing: NO_DASHBOARD }));
  return read;
}
