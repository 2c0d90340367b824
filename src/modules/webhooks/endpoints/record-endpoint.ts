import type { Env, Trx } from '../../../platform/db/index.ts';
import { type NewChange, recordChange, recordDifference, type Values } from '../../changes/index.ts';
import { type EndpointDeps, openHeaders } from './deps.ts';
import type { EndpointKind } from './schemas.ts';
import type { EndpointRow } from './store.ts';

/** An endpoint as it is recorded. */
export interface RecordedEndpoint {
  id: string;
  accountId: string;
  kind: EndpointKind;
  url: string;
}

type EndpointAction = Extract<NewChange['action'], `endpoint.${string}`>;
type HeaderDeps = Pick<EndpointDeps, 'cipher' | 'log'>;

const endpointOf = ({ id, account_id: accountId, kind, url }: EndpointRow): RecordedEndpoint => ({
  id,
  accountId,
  kind,
  url,
});

const changeOf = (action: EndpointAction, { id, accountId, kind, url }: RecordedEndpoint): NewChange => ({
  action,
  thing: { kind: kind === 'MERCHANT' ? 'ENDPOINT' : 'BUSINESS_SUBSCRIPTION', id, name: url },
  accountId,
});

/** What is told of an endpoint. Of its headers the names only: the values may be credentials. */
const valuesOf = (deps: HeaderDeps, row: EndpointRow): Values => ({
  url: row.url,
  events: row.events,
  description: row.description,
  headerNames: Object.keys(openHeaders(deps, row) ?? {}).toSorted(),
  maxInFlight: row.max_in_flight,
  ratePerSecond: row.rate_per_second,
});

/** Records what was done to an endpoint, in the transaction that does it. */
export const recordAct = (
  trx: Trx,
  { action, ...values }: { action: EndpointAction; before?: Values; after?: Values },
  endpoint: RecordedEndpoint | EndpointRow,
  env: Env,
): Promise<void> =>
  recordChange(
    trx,
    { ...changeOf(action, 'account_id' in endpoint ? endpointOf(endpoint) : endpoint), ...values },
    env,
  );

export const recordCreated = (deps: HeaderDeps, trx: Trx, row: EndpointRow, env: Env): Promise<void> =>
  recordAct(trx, { action: 'endpoint.created', after: valuesOf(deps, row) }, row, env);

/** Records the fields that differ, and that headers have other values; by the address that it had. */
export async function recordUpdated(
  deps: HeaderDeps,
  trx: Trx,
  { before, after }: Record<'before' | 'after', EndpointRow>,
  env: Env,
): Promise<void> {
  const headers = before.headers_sealed === after.headers_sealed ? {} : { headers: 'changed' };
  const values = { before: valuesOf(deps, before), after: { ...valuesOf(deps, after), ...headers } };
  await recordDifference(trx, { ...changeOf('endpoint.updated', endpointOf(before)), ...values }, env);
}
