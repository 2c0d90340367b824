import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** The last page of a list that can be asked for: those before it are counted past in the database. */
export const LAST_PAGE = 10_000;

/** Query of a paged list (contract: "Conventions"). Spread into a query schema. */
export const PageQuery = {
  page: Type.Integer({ minimum: 1, maximum: LAST_PAGE, default: 1, description: 'Page, from 1.' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
};

/** `{page, pages, total, data}`; `extra` comes before them. */
export const pageOf = <T extends TSchema>(item: T, extra?: TProperties) =>
  Type.Object({
    ...extra,
    page: Type.Integer(),
    pages: Type.Integer(),
    total: Type.Integer(),
    data: Type.Array(item),
  });

export interface Page<T> {
  page: number;
  pages: number;
  total: number;
  data: T[];
}

/** The reply of a paged list; a page past the end has empty `data`. `pages` are those that can be asked for: `total` may be more than they hold. */
export const toPage = <T>(query: { page: number; limit: number }, total: number, data: T[]): Page<T> => ({
  page: query.page,
  pages: Math.min(LAST_PAGE, Math.ceil(total / query.limit)),
  total,
  data,
});

/** Query of a log (contract: logs use a cursor). */
export const CursorQuery = {
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From `nextCursor` of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
};

export const cursorPageOf = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) });

export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({ format: 'date-time' });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const IdParams = Type.Object({ id: Uuid });
export type IdParams = Static<typeof IdParams>;
