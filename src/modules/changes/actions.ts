/** What can have been done to the configuration. Names are never taken away: stored rows have them. */
export const ACTIONS = [
  'account.created',
  'account.renamed',
  'member.added',
  'member.removed',
  'user.created',
  'user.updated',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.paused',
  'endpoint.resumed',
  'endpoint.deleted',
  'endpoint.disabled',
  'endpoint.opened',
  'delivery_retention.changed',
  'comment_settings.changed',
] as const;
export type Action = (typeof ACTIONS)[number];

export const THING_KINDS = [
  'ACCOUNT',
  'USER',
  'API_KEY',
  'ENDPOINT',
  'BUSINESS_SUBSCRIPTION',
  'COMMENT_SETTINGS',
] as const;
export type ThingKind = (typeof THING_KINDS)[number];

export const ACTOR_KINDS = ['USER', 'API_KEY', 'SERVICE'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
