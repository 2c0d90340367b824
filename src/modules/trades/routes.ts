import type { Caller } from '../../contracts/caller.ts';
import { type AnyRoute, cursorPageOf, read, write } from '../../platform/http/index.ts';
import { cancelTrade } from './cancel-trade.ts';
import { getTrade, type TimelineDeps } from './get-trade.ts';
import type { InboundDeps } from './inbound/list-reports.ts';
import type { TradeDeps } from './lifecycle/apply.ts';
import { listTrades } from './list-trades.ts';
import { TradeDetailSchema, TradeParams, TradeSchema, TradesQuery } from './schemas.ts';
import { type Seeing, tradeView } from './trade-view.ts';

const tag = 'Trades';

/** The accounts as which a caller looks: the one that was asked for, or all that the caller may see. */
const seeing = (deps: InboundDeps, caller: Caller, accountId?: string): Seeing =>
  accountId === undefined ? deps.visibleAccounts(caller) : [deps.actingAccount(caller, accountId)];

export const tradeRoutes = (deps: TradeDeps & TimelineDeps & InboundDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/trades',
    access: { account: 'webhooks:manage' },
    operationId: 'listTrades',
    tag,
    summary: 'Trades, newest first',
    description: 'Operators see all; an account those in which it serves a side or holds items.',
    schemas: { query: TradesQuery, replies: { 200: cursorPageOf(TradeSchema) } },
    errors: ['NOT_FOUND'],
    async handle(db, { query: { accountId, ...query }, caller }) {
      const accounts = seeing(deps, caller, accountId);
      const { data, nextCursor } = await listTrades(db, query, accounts);
      return { status: 200, body: { data: data.map((trade) => tradeView(trade, accounts)), nextCursor } };
    },
  }),
  read({
    method: 'GET',
    path: '/v1/trades/{tradeSessionId}',
    access: { account: 'webhooks:manage' },
    operationId: 'getTrade',
    tag,
    summary: 'A trade with all that happened',
    description:
      'Operators see everything. A merchant sees events that name its account, its own reports and its own deliveries, and ' +
      'of the other side nothing but its terms.',
    schemas: { params: TradeParams, replies: { 200: TradeDetailSchema } },
    errors: ['NOT_FOUND'],
    async handle(db, { params, caller }) {
      const accounts = deps.visibleAccounts(caller);
      const { trade, timeline } = await getTrade(deps, db, params.tradeSessionId, accounts);
      return { status: 200, body: { ...tradeView(trade, accounts), timeline } };
    },
  }),
  write({
    method: 'POST',
    path: '/v1/trades/{tradeSessionId}/cancel',
    access: 'operator',
    operationId: 'cancelTrade',
    tag,
    summary: 'End a trade',
    description:
      'Both sides get `trade.cancelled` with reason OPERATOR_CANCELLED; what is reserved is given back, unless it is handed over.',
    schemas: { params: TradeParams, replies: { 200: TradeSchema } },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle(trx, { params, env }) {
      return { status: 200, body: tradeView(await cancelTrade(deps, trx, params.tradeSessionId, env), 'all') };
    },
  }),
];
