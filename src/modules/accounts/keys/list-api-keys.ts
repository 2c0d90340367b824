import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { ApiKey } from '../schemas.ts';
import { pageOfApiKeys } from './store.ts';

/** A page of keys, newest first: those revoked and expired too, never the key or its secret. */
export async function listApiKeys(
  db: Db,
  query: { page: number; limit: number; accountId?: string },
): Promise<Page<ApiKey>> {
  const { page, limit, ...filter } = query;
  const { total, rows } = await pageOfApiKeys(db, filter, { limit, offset: (page - 1) * limit });
  const data = rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name,
    hint: row.key_hint,
    scopes: row.scopes,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }));
  return toPage(query, total, data);
}
