import type { Reader } from '@posthorn/client';

/** What the readers do that are no reactions, which the service describes. */
const OWN: Readonly<Record<string, string>> = {
  'webhook-fan-out': 'Makes the deliveries of each event, one for each endpoint that takes it.',
  'audit-seal': 'Seals the audit trail, so that a change to it can be told.',
};

/** What a reader of the log does, in a sentence. */
export const aboutReader = ({ name, description }: Pick<Reader, 'name' | 'description'>): string =>
  description ?? OWN[name] ?? '';
