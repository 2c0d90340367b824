import type { Account } from '../../../client/src/index.ts';
import { isUuid } from '../../lib/ids.ts';
import { Failure, wrongUse } from '../failure.ts';
import { calledAs } from '../option-names.ts';
import { type Connection, isKey } from './connect.ts';

type Caller = Pick<Connection, 'client' | 'credential'>;

const nameOf = ({ id, name, type }: Account): string => `${name} (${type}, ${id})`;

/** The accounts that somebody may mean: those they are a member of, and for operators all of that name. */
async function meant({ client, credential }: Caller, name: string): Promise<Account[]> {
  const found = () => calledAs({ 'query.q': 'account' }, Array.fromAsync(client.listAccounts({ q: name })));
  if (isKey(credential)) return found();
  const { user, accounts } = await client.getMe();
  return user.operator ? found() : accounts;
}

/** The id of an account that is given by id, or by its name. Fails when there is none of the name, or more than one. */
export async function accountId(caller: Caller, given: string): Promise<string> {
  if (isUuid(given)) return given;
  const isIt = ({ name }: Account): boolean => name.toLowerCase() === given.toLowerCase();
  const found = (await meant(caller, given)).filter(isIt);
  const [only, another] = found;
  if (only === undefined) throw new Failure(`there is no account "${given}": see "posthorn accounts list"`);
  if (another !== undefined)
    throw wrongUse(`several accounts are called "${given}", give an id: ${found.map(nameOf).join(', ')}`);
  return only.id;
}

/** As a parameter of an operation: nothing when no account was given, which leaves it to the service. */
export async function accountFilter(caller: Caller, given: string | undefined): Promise<{ accountId?: string }> {
  return given === undefined ? {} : { accountId: await accountId(caller, given) };
}

/** The account of a signed-in user who has only one; undefined for keys, whose account the service knows. */
export async function ownAccount({ client, credential }: Caller): Promise<string | undefined> {
  if (isKey(credential)) return undefined;
  const { user, accounts } = await client.getMe();
  const [only, another] = accounts;
  if (only !== undefined && another === undefined) return only.id;
  if (another !== undefined || user.operator)
    throw wrongUse(`--account is needed${another ? `: ${accounts.map(nameOf).join(', ')}` : ''}`);
  throw new Failure('you are a member of no account: an operator can add you');
}
