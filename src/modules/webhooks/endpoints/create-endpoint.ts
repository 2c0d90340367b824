import type { Caller } from '../../../contracts/caller.ts';
import { AppError, noSuchAccount } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { lastPosition } from '../../events/index.ts';
import { checkUrl, type EndpointDeps, newVersion, sealHeaders } from './deps.ts';
import { recordCreated } from './record-endpoint.ts';
import { checkHeaders } from './rules.ts';
import type { EndpointInput, EndpointKind } from './schemas.ts';
import { countEndpoints, type EndpointRow, insertEndpoint, OPEN } from './store.ts';

/**
 * Registers an address for an account: what is published from now on and fits is sent there. Throws VALIDATION_ERROR
 * (address, headers), NOT_FOUND (no such account), FORBIDDEN (account of the other kind), ENDPOINT_LIMIT_REACHED, INVALID_STATE (nothing to sign with).
 */
export async function createEndpoint(
  deps: EndpointDeps,
  trx: Trx,
  input: { body: EndpointInput; caller: Caller; accountId?: string; kind: EndpointKind },
  env: Env,
): Promise<EndpointRow> {
  const { body, kind } = input;
  checkUrl(deps, body.url);
  checkHeaders(body.headers ?? {});
  const accountId = deps.actingAccount(input.caller, input.accountId);
  const type = await deps.accountType(trx, accountId);
  if (type === null) throw noSuchAccount();
  if (type !== kind) {
    throw new AppError('FORBIDDEN', { message: `Only accounts of type ${kind} subscribe to these events.` });
  }
  const version = await newVersion(deps, trx);
  if ((await countEndpoints(trx, accountId)) >= deps.maxEndpoints) {
    const message = `This account has as many endpoints as it may have (${deps.maxEndpoints}); delete one first.`;
    throw new AppError('ENDPOINT_LIMIT_REACHED', { message });
  }
  if (!(await deps.hasSecret(trx, accountId, env.now))) {
    throw new AppError('INVALID_STATE', { message: 'The account has no API key, so there is no secret to sign with.' });
  }
  const id = env.newId();
  const row: EndpointRow = {
    id,
    account_id: accountId,
    kind,
    url: body.url,
    events: body.events === undefined ? null : [...body.events],
    description: body.description ?? '',
    headers_sealed: sealHeaders(deps, id, body.headers),
    max_in_flight: body.maxInFlight ?? null,
    rate_per_second: body.ratePerSecond ?? null,
    status: 'ACTIVE',
    status_reason: null,
    after_position: await lastPosition(trx),
    pulled_position: 0,
    version,
    created_at: env.now,
    updated_at: env.now,
    deleted_at: null,
    opened_at: null,
    ...OPEN,
  };
  await insertEndpoint(trx, row);
  await recordCreated(deps, trx, row, env);
  return row;
}
