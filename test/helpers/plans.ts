import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../src/platform/db/index.ts';

/** A node of a plan, as it ran. */
export interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  /** Of an Index Only Scan: rows that the index alone could not tell of. */
  'Heap Fetches'?: number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Each node of the plan by which the query ran. */
export async function planOf(db: Db, query: RawBuilder<unknown>): Promise<PlanNode[]> {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>`explain (analyze, format json) ${query}`.execute(
    db,
  );
  const nodes = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  return nodes(rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode);
}

/** The most rows that one of the nodes has looked at. */
export const mostRead = (plan: readonly PlanNode[]): number =>
  Math.max(...plan.map((n) => (n['Actual Rows'] + (n['Rows Removed by Filter'] ?? 0)) * n['Actual Loops']));

/** An index of a part of the deliveries goes by the name of the whole one. */
export const indexOf = (node: PlanNode): string | undefined =>
  node['Index Name']?.replace('webhook_deliveries_first_', 'webhook_deliveries_');

/** The indexes that were looked into. */
export const indexesOf = (plan: readonly PlanNode[]): string[] =>
  plan.flatMap((node) => (node['Actual Loops'] > 0 ? (indexOf(node) ?? []) : []));
