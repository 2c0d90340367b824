import { purging } from '../../platform/loop/purging.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import type { AccountChangesDeps } from './list-account-changes.ts';
import { changesRoutes } from './routes.ts';
import { deleteChanges } from './store.ts';

export { type NewChange, recordChange, recordDifference, type Values } from './record-change.ts';

/** The record of who changed the configuration: docs/adr/0044. */
export const createChanges = ({ config, db }: Platform, deps: AccountChangesDeps): Module => ({
  name: 'changes',
  routes: changesRoutes(deps),
  loops: [
    purging({
      name: 'changes.purge',
      db,
      days: config.RECORD_RETENTION_DAYS,
      remove: (before, portion) => deleteChanges(db, before, portion),
    }),
  ],
});
