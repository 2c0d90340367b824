import { type KnownOperation, OPERATIONS } from './known-names.ts';

/** Addresses beside the operations of the API. */
const OTHER =
  /^\/(?:$|healthz|readyz|metrics|openapi\.json|robots\.txt|docs|dashboard|blog|ghost\/|news\/|hooks|a\/\$|sign-up|0)|^…\/\d/;

/** `{id}` and a value stand for any parameter; a name in braces has to be the operation's own. */
function fits(given: readonly string[], path: readonly string[]): boolean {
  return given.every((part, i) => {
    const own = path[i] ?? '';
    if (part === own) return true;
    return own.startsWith('{') && !part.startsWith('{') && !/^[a-z-]+$/.test(part);
  });
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

function isOf(operation: KnownOperation, shown: string): boolean {
  const own = partsOf(operation.path);
  const isBeginning = shown.endsWith('/…');
  const isEnd = shown.startsWith('…/') || !shown.startsWith('/v1');
  const given = partsOf(shown.replaceAll('…', ''));
  if (isBeginning && isEnd) return false;
  if (isBeginning) return given.length <= own.length && fits(given, own.slice(0, given.length));
  if (isEnd) return given.length <= own.length && fits(given, own.slice(-given.length));
  return given.length === own.length && fits(given, own);
}

/** Addresses under which there are operations, and which are none themselves: `/v1/admin`. */
const isPlace = (shown: string): boolean =>
  OPERATIONS.some(({ path }) => path === shown || path.startsWith(`${shown.replace(/\/$/, '')}/`));

/** What is wrong with an address in the text; null: nothing. `…` at its beginning or end leaves something out. */
export function addressFault(method: string | undefined, address: string): string | null {
  const [path = '', query = ''] = address.split('?');
  if (OTHER.test(path)) return null;
  if (method === undefined && path.startsWith('/v1') && isPlace(path)) return null;
  // `PATCH …?autosave=true`: whatever was spoken of.
  const found = OPERATIONS.filter(
    (operation) => (method === undefined || operation.method === method) && (path === '…' || isOf(operation, path)),
  );
  if (found.length === 0) return 'is no operation';
  const names = query.split('&').map((pair) => pair.split('=')[0] ?? '');
  const unknown = names.filter((name) => /^\w+$/.test(name) && !found.some(({ parameters }) => parameters.has(name)));
  return unknown.length === 0 ? null : `takes no ${unknown.join()}`;
}
