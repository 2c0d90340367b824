import { Type } from 'typebox';
import { afterCommit } from '../../../platform/db/index.ts';
import { type AnyRoute, CursorQuery, IdParams, read, write } from '../../../platform/http/index.ts';
import { endpointNames, type EndpointKind } from '../endpoints/schemas.ts';
import { ackFeed } from './ack-feed.ts';
import { type FeedDeps, getFeed } from './get-feed.ts';
import { AckReply, FeedCursor, FeedSchema } from './schemas.ts';

/** Longest wait for the first webhook; many proxies end a silent request after a minute. Seconds. */
const LONGEST_WAIT = 30;

const Query = Type.Object({
  cursor: Type.Optional(FeedCursor),
  from: Type.Optional(
    Type.Union([Type.Literal('start'), Type.Literal('now')], {
      description: 'Without a cursor: from the creation of the endpoint (default), or what comes from now on.',
    }),
  ),
  limit: CursorQuery.limit,
  wait: Type.Integer({
    minimum: 0,
    maximum: LONGEST_WAIT,
    default: 0,
    description: 'Where there is nothing: wait for so many seconds for the first.',
  }),
});

/** Reading the webhooks of an endpoint instead of being sent them; both kinds are alike. */
export function feedRoutes(deps: FeedDeps & { wakeFeed(): void }, kind: EndpointKind): AnyRoute[] {
  const { path, noun, tag } = endpointNames[kind];
  const common = { access: { account: 'webhooks:manage' }, tag } as const;
  return [
    read({
      ...common,
      method: 'GET',
      path: `${path}/{id}/feed`,
      operationId: `get${noun}Feed`,
      summary: 'Read its webhooks, oldest first',
      description:
        'For receivers that cannot be reached, or were down. The same bodies as a push, with signatures of now, in the order of the log; none is skipped or repeated. It goes by the subscription as it is now, and works for paused and disabled ones too.',
      schemas: { params: IdParams, query: Query, replies: { 200: FeedSchema } },
      errors: ['NOT_FOUND', 'INVALID_STATE'],
      handle: async (db, { params, query, caller, hasLeft }) => ({
        status: 200,
        body: await getFeed(deps, db, { id: params.id, kind, caller, ...query, hasLeft }),
      }),
    }),
    write({
      ...common,
      method: 'POST',
      path: `${path}/{id}/feed/ack`,
      operationId: `ack${noun}Feed`,
      summary: 'Say what was read',
      description: 'What is held of it is discarded (`PULLED`), so that it is not sent after a resume.',
      schemas: {
        params: IdParams,
        body: Type.Object({ cursor: FeedCursor }, { additionalProperties: false }),
        replies: { 200: AckReply },
      },
      errors: ['NOT_FOUND'],
      async handle(trx, { params, body, caller, env }) {
        const reply = await ackFeed(deps, trx, { id: params.id, kind, caller, ...body }, env);
        afterCommit(trx, () => deps.wakeFeed());
        return { status: 200, body: reply };
      },
    }),
  ];
}
