import { Type } from 'typebox';
import type { Caller } from '../../contracts/caller.ts';
import { asWeWrite } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/index.ts';
import { type AnyRoute, CursorQuery, Nullable, read, Uuid } from '../../platform/http/index.ts';
import { getReputation, type Seeing } from './get-reputation.ts';
import { BASE_SCORE, MAX_SCORE } from './reputation-rules.ts';

const ReputationSchema = Type.Object(
  {
    userId: Type.String(),
    score: Type.Integer({
      minimum: 0,
      maximum: MAX_SCORE,
      description: `${BASE_SCORE} and the sum of all changes, not below 0 nor above ${MAX_SCORE}.`,
    }),
    changes: Nullable(
      Type.Array(
        Type.Object(
          {
            eventId: Uuid,
            event: Type.String({ description: 'Name of the event that changed the score.' }),
            delta: Type.Integer({ description: 'Points.' }),
            reason: Type.String(),
            at: Type.String({ format: 'date-time', description: 'When the event happened.' }),
          },
          { title: 'ReputationChange' },
        ),
        { description: 'Newest in the log first. Null: the caller sees the score only.' },
      ),
    ),
    nextCursor: Nullable(Type.String()),
  },
  { title: 'Reputation' },
);

export interface TrustRoutesDeps {
  /** `all` for operators and keys with scope `admin`. */
  visibleAccounts: (caller: Caller) => 'all' | readonly string[];
  /** The ids under which events may name a user of this service. */
  marketplaceIds: (db: Db, userId: string) => Promise<readonly string[]>;
}

/** How much of the user whom events name so the caller may see. */
async function seeingOf(deps: TrustRoutesDeps, db: Db, caller: Caller, userId: string): Promise<Seeing> {
  if (deps.visibleAccounts(caller) === 'all') return 'all';
  if (caller.kind === 'key') return 'score';
  return (await deps.marketplaceIds(db, caller.userId)).some((id) => asWeWrite(id) === userId) ? 'own' : 'score';
}

export const trustRoutes = (deps: TrustRoutesDeps): readonly AnyRoute[] => [
  read({
    access: 'any',
    tag: 'Reputation',
    method: 'GET',
    path: '/v1/users/{id}/reputation',
    operationId: 'getReputation',
    summary: 'Score of a user, and the changes that made it',
    description:
      'Everybody may ask for the score; `changes` are for the session of the user and for operators and keys with scope `admin`, ' +
      'and null for everybody else. What fraud signals took away is seen by operators and keys with scope `admin` only; ' +
      'to everybody else score and changes are as if there were none. A user of whom nothing is known has the base score.',
    schemas: {
      params: Type.Object({
        id: Type.String({
          minLength: 1,
          maxLength: 128,
          pattern: '^[!-~]+$',
          description: 'The user, as events name them; a UUID in either case.',
        }),
      }),
      query: Type.Object(CursorQuery),
      replies: { 200: ReputationSchema },
    },
    async handle(db, { params, query, caller }) {
      const userId = asWeWrite(params.id);
      const seeing = await seeingOf(deps, db, caller, userId);
      const { changes, ...page } = await getReputation(db, userId, query, seeing);
      const shown = changes?.map(({ eventId, event, delta, reason, occurredAt }) => ({
        eventId,
        event,
        delta,
        reason,
        at: occurredAt.toISOString(),
      }));
      return { status: 200, body: { userId, ...page, changes: shown ?? null } };
    },
  }),
];
