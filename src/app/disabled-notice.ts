import type { DisabledEndpoint } from '../modules/webhooks/index.ts';

/**
 * What the members of an account and the operators are told of an endpoint that was disabled. Of its address the host alone:
 * paths and queries of webhook addresses hold secrets, and this goes out by e-mail.
 */
export function disabledNotice({ id, url, disabledFor, failingSince }: DisabledEndpoint): string {
  const where = `The webhook endpoint ${id} at ${new URL(url).host} was disabled`;
  if (disabledFor === 'GONE') return `${where}: it answered 410 Gone. What is for it is kept until it is resumed.`;
  const since = failingSince === null ? '' : ` since ${failingSince.toISOString()}`;
  return `${where}: nothing but failures came back${since}. What is for it is kept; it is tried again from time to time, or when it is resumed.`;
}
