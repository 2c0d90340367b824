import { AppError } from '../../../contracts/errors.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import { lastVisible } from '../store.ts';
import type { Reaction } from './reaction.ts';
import { type FailureRow, makeDue, rewind, selectFailures, selectReaders } from './store.ts';

export interface ReaderView {
  name: string;
  description: string | null;
  events: readonly string[] | null;
  lag: number;
  active: boolean;
  updatedAt: string;
  retrying: number;
  setAside: number;
}

type Reactions = ReadonlyMap<string, Reaction>;

/** Every reader of the log that ever ran, with how far it is behind. */
export async function listReaders(db: Db, reactions: Reactions): Promise<ReaderView[]> {
  const last = await lastVisible(db);
  return (await selectReaders(db)).map(({ name, position, active, updatedAt, retrying, setAside }) => ({
    name,
    description: reactions.get(name)?.description ?? null,
    events: reactions.get(name)?.events ?? null,
    lag: Math.max(0, last - position),
    active,
    updatedAt: updatedAt.toISOString(),
    retrying,
    setAside,
  }));
}

/** A page of the events at which a reader failed, in the order of the log. Throws NOT_FOUND for no reader. */
export async function listFailures(
  db: Db,
  name: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ data: FailureRow[]; next: number | null }> {
  if (!(await selectReaders(db)).some((reader) => reader.name === name)) throw new AppError('NOT_FOUND');
  const rows = await selectFailures(db, name, { after, limit: limit + 1 });
  const data = rows.slice(0, limit);
  return { data, next: rows.length > limit ? (data.at(-1)?.position ?? null) : null };
}

/** Has a reader try an event again at which it failed. Throws NOT_FOUND when it did not. */
export async function retryFailure(
  trx: Trx,
  { name, eventId }: { name: string; eventId: string },
  { now }: Pick<Env, 'now'>,
): Promise<void> {
  if (!(await makeDue(trx, name, eventId, now))) throw new AppError('NOT_FOUND');
}

/**
 * Has a reaction read the log again from its start: what was computed is forgotten first, and what was done once is not
 * done again. Throws NOT_FOUND for no reader, INVALID_STATE for one that is no reaction.
 */
export async function rebuildReader(
  trx: Trx,
  name: string,
  reactions: Reactions,
  { now }: Pick<Env, 'now'>,
): Promise<void> {
  const reaction = reactions.get(name);
  if (!(await rewind(trx, name, now))) throw new AppError('NOT_FOUND');
  if (!reaction)
    throw new AppError('INVALID_STATE', { message: `${name} is no reaction: what it did cannot be done again.` });
  await reaction.reset?.(trx);
}
