import { Command } from 'commander';
import type { DeadLetterGroup } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { newer } from '../output/newer.ts';
import { printList } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { type FilterOptions, filterOf, withDeadFilter } from './delivery-filter.ts';

/** How many were replayed; of a service that does not tell it, nothing. */
function replayedText(group: DeadLetterGroup): string | number | null {
  const replayed = newer(group.replayed);
  if (replayed === undefined) return null;
  return replayed.of >= group.count ? replayed.count : `${replayed.count}, of ${replayed.of} looked at`;
}

const COLUMNS: readonly Column<DeadLetterGroup>[] = [
  { title: 'endpoint', of: (g) => (g.endpointIsDeleted ? `${g.endpointId} (deleted)` : g.endpointId) },
  { title: 'error', of: (g) => g.errorClass },
  { title: 'count', of: (g) => (g.countIsExact ? g.count : `${g.count} or more`) },
  { title: 'replayed', of: replayedText },
  { title: 'oldest', of: (g) => localTime(g.oldest.createdAt) },
  { title: 'newest', of: (g) => localTime(g.newest.createdAt) },
  { title: 'said', of: (g) => g.lastMessage, cut: true },
];

/** `posthorn deliveries dead`. */
export const deadCommand = (): Command =>
  withDeadFilter(withLimit(new Command('dead')))
    .description('List dead letters by endpoint and cause, with what was said of the newest.')
    .addHelpText(
      'after',
      `
"posthorn deliveries list --status DEAD" shows them one by one; "replay" sends them again, "discard" ends them.
One that was replayed stays here, and is counted under REPLAYED when that has arrived or is under way; the other list tells of each what became of
its replays: of the newest that arrived or is under way, else of the newest.`,
    )
    .action(
      action<ListOptions & Omit<FilterOptions, 'status' | 'trade'>>(async (options) => {
        const connection = await connect(options);
        const items = connection.client.listDeadLetters({
          ...(await accountFilter(connection, options.account)),
          ...filterOf(options),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'dead letters', options);
      }),
    );
