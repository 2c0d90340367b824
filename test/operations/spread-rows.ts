import { spread } from '../helpers/spread.ts';
import { OPERATIONS, type RoleRow } from './operations.ts';

/** The rows of every `nth` operation on PGlite beside PostgreSQL, which has all of them (test/helpers/spread.ts). */
export function spreadRows(nth: number): RoleRow[] {
  const ids = new Set(spread([...new Set(OPERATIONS.map(([operationId]) => operationId))], nth));
  return OPERATIONS.filter(([operationId]) => ids.has(operationId));
}
