import type { Operations } from '@posthorn/client';
import { wordsOf } from '../lib/search.ts';
import { shortText } from '../lib/time.ts';

export type Change = NonNullable<Operations['listChanges']['item']>;
type Action = Change['action'];

/** What was done, as a sentence begins that the name of the thing ends. */
const DONE: Readonly<Record<Action, string>> = {
  'account.created': 'Created account',
  'account.renamed': 'Renamed account',
  'member.added': 'Added member',
  'member.removed': 'Removed member',
  'user.created': 'Created user',
  'user.updated': 'Changed user',
  'user.disabled': 'Disabled user',
  'user.enabled': 'Enabled user',
  'user.password_changed': 'Changed the password of',
  'api_key.created': 'Created API key',
  'api_key.rotated': 'Rotated API key',
  'api_key.revoked': 'Revoked API key',
  'endpoint.created': 'Created endpoint',
  'endpoint.updated': 'Changed endpoint',
  'endpoint.paused': 'Paused endpoint',
  'endpoint.resumed': 'Resumed endpoint',
  'endpoint.deleted': 'Deleted endpoint',
  'endpoint.disabled': 'Disabled endpoint',
  'endpoint.opened': 'Opened endpoint again',
  'delivery_retention.changed': 'Changed how long deliveries are kept of',
  'comment_settings.changed': 'Changed the comment rules',
};

/** "Rotated API key"; both kinds of endpoints have the same actions. */
export const doneText = ({ action, thing }: Pick<Change, 'action' | 'thing'>): string =>
  thing.kind === 'BUSINESS_SUBSCRIPTION' ? DONE[action].replace('endpoint', 'subscription') : DONE[action];

/** By what changes are chosen. */
export const AREAS = wordsOf({ keys: 1, endpoints: 2, members: 3, users: 4, settings: 5 });
export type Area = (typeof AREAS)[number];

const PREFIXES: Readonly<Record<Area, readonly string[]>> = {
  keys: ['api_key.'],
  endpoints: ['endpoint.'],
  members: ['account.', 'member.'],
  users: ['user.'],
  settings: ['delivery_retention.', 'comment_settings.'],
};

export const AREA_NAMES: Readonly<Record<Area, string>> = {
  keys: 'API keys',
  endpoints: 'Endpoints',
  members: 'Accounts and members',
  users: 'Users',
  settings: 'Settings',
};

export const actionsOf = (area: Area): Action[] =>
  wordsOf(DONE).filter((action) => PREFIXES[area].some((prefix) => action.startsWith(prefix)));

/** Fields whose names say too little as they are in the API. */
const FIELDS: Readonly<Record<string, string>> = {
  email: 'E-mail',
  url: 'Address',
  headerNames: 'Headers',
  headers: 'Values of headers',
  days: 'Days',
  expiresAt: 'Old key valid until',
  replacedBy: 'New key',
  maxInFlight: 'At once',
  ratePerSecond: 'Per second',
};

/** "blogRole" is "Blog role". */
const fieldName = (field: string): string =>
  FIELDS[field] ?? field.charAt(0).toUpperCase() + field.slice(1).replaceAll(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

/** What stands for nothing in a field, where that means something. */
const NOTHING: Readonly<Record<string, string>> = { events: 'all', days: 'as usual', ratePerSecond: 'no limit' };

function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING[field] ?? 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return field === 'expiresAt' ? shortText(new Date(text)) : text;
}

export interface ChangedField {
  name: string;
  /** Absent: it was created with it, or only one of both is told. */
  before?: string;
  after: string;
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);

/** The fields of a change as people read them. Of what was created, those that have something in them, and not what it is called. */
export function fieldsOf({ before, after, thing }: Pick<Change, 'before' | 'after' | 'thing'>): ChangedField[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const name = fieldName(field);
    const isBoth = field in before && field in after;
    if (isBoth) return [{ name, before: valueText(field, before[field]), after: valueText(field, after[field]) }];
    const value = field in before ? before[field] : after[field];
    return isNothing(value) || value === thing.name ? [] : [{ name, after: valueText(field, value) }];
  });
}
