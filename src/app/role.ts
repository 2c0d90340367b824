/** What a process does: serve HTTP (`api`), background work (`worker`), or both. */
export type Role = 'all' | 'api' | 'worker';

export const ROLES: readonly string[] = ['all', 'api', 'worker'] satisfies Role[];
