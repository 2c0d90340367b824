import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { HoldSettings } from './hold.ts';

export interface StoredSettings extends HoldSettings {
  updatedAt: Date | null;
  updatedBy: string | null;
  updatedByName: string | null;
}

/** The settings in force: read with every comment, so a change acts on the next one on every node. */
export async function readCommentSettings(db: Db): Promise<StoredSettings> {
  const { rows } = await sql<StoredSettings>`
    select s.pre_moderation as "preModeration", s.max_links as "maxLinks", s.repeat_seconds as "repeatSeconds",
      s.blocked_words as "blockedWords", s.updated_at as "updatedAt", s.updated_by as "updatedBy",
      u.name as "updatedByName"
    from comment_settings s left join users u on u.id = s.updated_by`.execute(db);
  return rows[0] as StoredSettings;
}

/** Until the transaction ends, nobody else changes the settings. */
export async function lockCommentSettings(trx: Trx): Promise<void> {
  await sql`select from comment_settings for no key update`.execute(trx);
}

/** Changes what is given, leaving the rest as it is at this moment. */
export async function writeCommentSettings(
  trx: Trx,
  change: Partial<HoldSettings>,
  by: { userId: string; now: Date },
): Promise<void> {
  const { preModeration = null, maxLinks = null, repeatSeconds = null, blockedWords = null } = change;
  await sql`
    update comment_settings set
      pre_moderation = coalesce(${preModeration}::boolean, pre_moderation),
      max_links = coalesce(${maxLinks}::integer, max_links),
      repeat_seconds = coalesce(${repeatSeconds}::integer, repeat_seconds),
      blocked_words = coalesce(${blockedWords}::text[], blocked_words),
      updated_at = ${by.now}, updated_by = ${by.userId}`.execute(trx);
}
