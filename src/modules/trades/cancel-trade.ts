import { AppError, noSuch } from '../../contracts/errors.ts';
import type { Env, Trx } from '../../platform/db/index.ts';
import { applyDecision, type TradeDeps } from './lifecycle/apply.ts';
import { cancelTrade as decideCancelling } from './lifecycle/decide.ts';
import { lockTrade, type StoredTrade, tradeIdOf } from './lifecycle/trade-store.ts';

/**
 * An operator ends a trade: what is open is closed, what is reserved given back unless it is handed over, and both sides get `trade.cancelled`. Throws
 * NOT_FOUND, and INVALID_STATE for a trade that has ended.
 */
export async function cancelTrade({ publishAll }: TradeDeps, trx: Trx, given: string, env: Env): Promise<StoredTrade> {
  const id = await tradeIdOf(trx, given);
  const trade = await lockTrade(trx, id);
  if (!trade) throw noSuch('trade', given);
  const decision = decideCancelling(trade, 'OPERATOR_CANCELLED');
  if ('refused' in decision) throw new AppError('INVALID_STATE', { message: decision.refused });
  await applyDecision(trx, { trade, decision, trigger: { cause: 'operator' } }, publishAll, env);
  return (await lockTrade(trx, id)) as StoredTrade;
}
