import { isDeepStrictEqual } from 'node:util';
import type { Env, Trx } from '../../platform/db/index.ts';
import type { Action, ActorKind, ThingKind } from './actions.ts';
import { insertChange } from './store.ts';

/** Fields with what was in them: never a secret, a password, a key, or the value of a header. */
export type Values = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface NewChange {
  action: Action;
  thing: {
    kind: ThingKind;
    /** Null: there is only one of it. */
    id: string | null;
    /** What it is called now: it is told by this when it is gone. */
    name: string;
  };
  /** Whose members may read of it; null: operators only. */
  accountId: string | null;
  before?: Values;
  after?: Values;
  /** The user who did it, where that is not the caller. */
  byUser?: string;
}

interface Actor {
  kind: ActorKind;
  id: string | null;
}

function actorOf({ by }: Env, byUser: string | undefined): Actor {
  if (byUser !== undefined) return { kind: 'USER', id: byUser };
  if (by === undefined) return { kind: 'SERVICE', id: null };
  return by.kind === 'key' ? { kind: 'API_KEY', id: by.keyId } : { kind: 'USER', id: by.userId };
}

/** Records a change of the configuration, with the transaction that makes it: neither is there without the other. */
export async function recordChange(trx: Trx, change: NewChange, env: Env): Promise<void> {
  const { action, thing, accountId, before = {}, after = {}, byUser } = change;
  const actor = actorOf(env, byUser);
  await insertChange(trx, {
    id: env.newId(),
    at: env.now,
    action,
    actor_kind: actor.kind,
    actor_id: actor.id,
    account_id: accountId,
    thing_kind: thing.kind,
    thing_id: thing.id,
    thing_name: thing.name,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
    request_id: env.requestId === '' ? null : env.requestId,
  });
}

/** As `recordChange`, of the fields that differ: what leaves all of them as they were is nobody's change. */
export async function recordDifference(
  trx: Trx,
  { before, after, ...change }: NewChange & { before: Values; after: Values },
  env: Env,
): Promise<void> {
  const differing = Object.keys(after).filter((field) => !isDeepStrictEqual(before[field], after[field]));
  if (differing.length === 0) return;
  const only = (values: Values): Values =>
    Object.fromEntries(differing.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])));
  await recordChange(trx, { ...change, before: only(before), after: only(after) }, env);
}
