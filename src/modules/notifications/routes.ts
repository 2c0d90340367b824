import { Type } from 'typebox';
import type { SessionCaller } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  type AnyRoute,
  CursorQuery,
  DateTime,
  IdParams,
  Nullable,
  read,
  Uuid,
  write,
} from '../../platform/http/index.ts';
import { listNotifications } from './list-notifications.ts';
import { saveSettings, wantsMail } from './mails/store.ts';
import { markAllRead, markRead } from './store.ts';

const NotificationSchema = Type.Object(
  {
    id: Uuid,
    event: Type.String({
      description:
        'Name of the event that it tells of; `webhook_endpoint.disabled` is none of the log, and has an id of its own.',
    }),
    eventId: Uuid,
    offerId: Nullable(Type.String()),
    tradeSessionId: Nullable(Type.String()),
    accountId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of the endpoint, beside `endpointId`.' })),
    endpointId: Type.Optional(
      Type.Unsafe<string>({
        ...Uuid,
        description: 'The endpoint that it is about: only with `webhook_endpoint.disabled`.',
      }),
    ),
    text: Type.String(),
    createdAt: DateTime,
    readAt: Nullable(DateTime),
  },
  { title: 'Notification' },
);

export interface NotificationRoutesDeps {
  /** The ids under which events may name a user of this service. */
  marketplaceIds: (db: Db, userId: string) => Promise<readonly string[]>;
}

const SettingsSchema = Type.Object(
  { email: Type.Boolean({ description: 'Whether notifications also come by e-mail, where the service sends any.' }) },
  { title: 'NotificationSettings' },
);

const common = { access: 'session', tag: 'Notifications' } as const;

const settingsRoutes: readonly AnyRoute[] = [
  read({
    ...common,
    method: 'GET',
    path: '/v1/notifications/settings',
    operationId: 'getNotificationSettings',
    summary: 'How the user is told',
    schemas: { replies: { 200: SettingsSchema } },
    handle: async (db, { caller }) => ({ status: 200, body: { email: await wantsMail(db, caller.userId) } }),
  }),
  write({
    ...common,
    method: 'PATCH',
    path: '/v1/notifications/settings',
    operationId: 'updateNotificationSettings',
    summary: 'Turn e-mails on or off',
    description: 'Also for those that wait to be sent.',
    schemas: {
      body: Type.Object(SettingsSchema.properties, { additionalProperties: false }),
      replies: { 200: SettingsSchema },
    },
    async handle(trx, { body, caller, env }) {
      await saveSettings(trx, caller.userId, { email: body.email, now: env.now });
      return { status: 200, body: { email: body.email } };
    },
  }),
];

export const notificationRoutes = ({ marketplaceIds }: NotificationRoutesDeps): readonly AnyRoute[] => {
  const idsOf = (db: Db, caller: SessionCaller): Promise<readonly string[]> => marketplaceIds(db, caller.userId);
  return [
    read({
      ...common,
      method: 'GET',
      path: '/v1/notifications',
      operationId: 'listNotifications',
      summary: "The user's notifications, newest first",
      schemas: {
        query: Type.Object({
          unread: Type.Optional(Type.Boolean({ description: 'Only those that were not read.' })),
          ...CursorQuery,
        }),
        replies: {
          200: Type.Object({
            unread: Type.Integer({ description: 'Of all, how many were not read.' }),
            data: Type.Array(NotificationSchema),
            nextCursor: Nullable(Type.String()),
          }),
        },
      },
      async handle(db, { query, caller }) {
        const { data, ...page } = await listNotifications(db, await idsOf(db, caller), query);
        const shown = data.map(({ userId: _own, accountId, endpointId, createdAt, readAt, ...rest }) => ({
          ...rest,
          ...(accountId === null || endpointId === null ? {} : { accountId, endpointId }),
          createdAt: createdAt.toISOString(),
          readAt: readAt?.toISOString() ?? null,
        }));
        return { status: 200, body: { ...page, data: shown } };
      },
    }),
    write({
      ...common,
      method: 'POST',
      path: '/v1/notifications/{id}/read',
      operationId: 'readNotification',
      summary: 'Mark a notification as read',
      schemas: { params: IdParams, replies: { 204: null } },
      keyPerResource: true,
      errors: ['NOT_FOUND'],
      async handle(trx, { params, caller, env }) {
        if (!(await markRead(trx, await idsOf(trx, caller), params.id, env.now))) throw new AppError('NOT_FOUND');
        return { status: 204 };
      },
    }),
    write({
      ...common,
      method: 'POST',
      path: '/v1/notifications/read',
      operationId: 'readAllNotifications',
      summary: 'Mark all notifications as read',
      schemas: { replies: { 204: null } },
      async handle(trx, { caller, env }) {
        await markAllRead(trx, await idsOf(trx, caller), env.now);
        return { status: 204 };
      },
    }),
    ...settingsRoutes,
  ];
};
