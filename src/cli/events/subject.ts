import type { AuditEvent } from '../../../client/src/index.ts';

/** What an event is about: the first of its fields that holds an id. */
export function subjectOf({ data }: Pick<AuditEvent, 'data'>): string {
  const found = Object.entries(data).find(([name, value]) => name.endsWith('Id') && typeof value === 'string');
  return found ? `${found[0]}=${String(found[1])}` : '–';
}
