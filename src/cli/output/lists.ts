import type { Command } from 'commander';
import { positive } from './arguments.ts';
import type { Listed } from './print.ts';

/** Shown of a list when nothing else is said. */
const USUAL = 50;
/** What the service gives in one reply at the most. */
const PAGE = 100;

export interface ListOptions {
  limit: number;
  all?: boolean;
}

/** `--limit` and `--all` of a command that lists. */
export const withLimit = (command: Command): Command =>
  command
    .option('--limit <n>', 'show at most so many', positive, USUAL)
    .option('--all', 'show all, however many there are');

/** How many a page should hold for this. */
export const pageSize = ({ limit, all }: ListOptions): number => (all ? PAGE : Math.min(PAGE, limit));

/** Reads a list, page by page, until there is enough. */
export async function collect<Row>(items: AsyncIterable<Row>, { limit, all }: ListOptions): Promise<Listed<Row>> {
  const data: Row[] = [];
  for await (const item of items) {
    if (!all && data.length === limit) return { data, hasMore: true };
    data.push(item);
  }
  return { data, hasMore: false };
}
