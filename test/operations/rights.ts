import { ERRORS, type ErrorCode } from '../../src/contracts/errors.ts';

/**
 * Who may do what: interface.md sections 4 and 5, contract sections 1 to 3 ("Errors", "Callers", the roles of the blog).
 * One line a caller, one column a kind of operation; `ok` is the success that the operation declares.
 *
 *   open     no credential is looked at           post     of whoever manages the post: its author, editors
 *   setup    over once there is an operator       removal  of a post that is no draft: editors
 *   any      any key or session                   comment  of the comment's own author (here: reader)
 *   read     K, scope blog:read                   admin    operators, keys with scope admin
 *   session  S                                    publish  K, scope events:publish
 *   writer   S with a blog role                   merch    K, scope webhooks:manage, or member: in the name of the merchant
 *   editor   S with the role EDITOR               busi     the same of the business
 *                                                 merchId, busiId   one thing of the merchant or business
 *                                                 visible  a list of what the caller may see
 *                                                 report   K, scope inbound:write, or member: reports of the merchant
 *   insight  writers, operators, keys with scope admin          ownInsight  the same of a post of the author
 *   staff    S of a member of the merchant, operators
 */
const RIGHTS = `
                                open setup any read session writer editor post removal comment admin publish merch merchId busi busiId visible report insight ownInsight staff
nobody                          ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
key blog:read                   ok   401   ok  ok   401     401    401    401  401     401     403   403     403   403     403  403    403     403    403     403        401
key webhooks:manage, merchant   ok   401   ok  403  401     401    401    401  401     401     403   403     ok    ok      404  404    ok      403    403     403        401
key webhooks:manage, business   ok   401   ok  403  401     401    401    401  401     401     403   403     404   404     ok   ok     ok      403    403     403        401
key events:publish              ok   401   ok  403  401     401    401    401  401     401     403   ok      403   403     403  403    403     403    403     403        401
key inbound:write               ok   401   ok  403  401     401    401    401  401     401     403   403     403   403     403  403    403     ok     403     403        401
key admin                       ok   401   ok  ok   401     401    401    401  401     401     ok    ok      ok    ok      ok   ok     ok      ok     ok      ok         401
reader                          ok   401   ok  ok   ok      403    403    403  403     ok      403   403     403   403     403  403    403     403    403     403        404
member of both accounts         ok   401   ok  ok   ok      403    403    403  403     404     403   403     ok    ok      ok   ok     ok      ok     403     403        ok
member of another account       ok   401   ok  ok   ok      403    403    403  403     404     403   403     404   404     404  404    ok      404    403     403        404
author, own                     ok   401   ok  ok   ok      ok     403    ok   403     404     403   403     403   403     403  403    403     403    ok      ok         404
author, other                   ok   401   ok  ok   ok      ok     403    404  404     404     403   403     403   403     403  403    403     403    ok      404        404
editor                          ok   401   ok  ok   ok      ok     ok     ok   ok      404     403   403     403   403     403  403    403     403    ok      ok         404
operator                        ok   401   ok  ok   ok      403    403    403  403     404     ok    ok      ok    ok      ok   ok     ok      ok     ok      ok         ok
rights withdrawn                ok   401   ok  ok   ok      403    403    403  403     404     403   403     403   403     403  403    403     403    403     403        404
an unknown session              ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
a session signed out            ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
a disabled user                 ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
a session before a new password ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
a revoked key                   ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
a key past its overlap          ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
an expired session              ok   401   401 401  401     401    401    401  401     401     401   401     401   401     401  401    401     401    401     401        401
`;

const LINES = RIGHTS.split('\n').filter((line) => line.trim() !== '');
/** Where the columns begin. */
const INDENT = (LINES[0] as string).search(/\S/);
const cellsOf = (line: string): string[] => line.slice(INDENT).trim().split(/ +/);
const COLUMNS = cellsOf(LINES[0] as string);
const ROWS = new Map(LINES.slice(1).map((line) => [line.slice(0, INDENT).trim(), cellsOf(line)]));

export type Kind =
  | 'open'
  | 'setup'
  | 'any'
  | 'read'
  | 'session'
  | 'writer'
  | 'editor'
  | 'post'
  | 'removal'
  | 'comment'
  | 'admin'
  | 'publish'
  | 'merch'
  | 'merchId'
  | 'busi'
  | 'busiId'
  | 'visible'
  | 'report'
  | 'insight'
  | 'ownInsight'
  | 'staff';

const CODES: Record<string, ErrorCode> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

/** The callers of the table, in its order. */
export const CALLERS: readonly string[] = [...ROWS.keys()];

/** What a caller gets from an operation of the kind: `ok`, or status and code of the refusal. */
export function rightOf(caller: string, kind: Kind): string {
  const cell = ROWS.get(caller)?.[COLUMNS.indexOf(kind)];
  if (cell === 'ok') return cell;
  const code = CODES[cell ?? ''];
  if (code === undefined) throw new Error(`no cell for ${caller}, ${kind}`);
  return `${ERRORS[code].status} ${code}`;
}

/** Sessions first: a key may be known without asking the database. */
const BY_SESSION = ['reader', 'author, own', 'editor', 'operator', 'member of both accounts', ...CALLERS];

/** A caller who gets this from operations of the kind. */
export const whoGets = (kind: Kind, right: string): string | undefined =>
  BY_SESSION.find((caller) => rightOf(caller, kind) === right);
