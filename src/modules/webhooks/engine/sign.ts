import { hmacSha256 } from '../../../lib/hmac.ts';
import type { SigningKeys } from './types.ts';

export interface Signatures {
  /** Value of `X-Service-Signature` (interface.md §6.5): `t=<unix>,v1=<hex>`, one `v1` per valid secret. */
  service: string;
  /** Value of `webhook-signature` (Standard Webhooks): `v1,<base64>` per valid secret, separated by spaces. */
  standard: string;
}

/**
 * Signs the exact bytes that are sent. `timestamp` in whole seconds since the epoch. The first header's key is the whole
 * `whsec_…` string, as Stripe's libraries use it; the second's is its decoded part, as Standard Webhooks prescribes.
 */
export function sign(secrets: readonly SigningKeys[], timestamp: number, webhookId: string, body: string): Signatures {
  let service = `t=${timestamp}`;
  let standard = '';
  for (const secret of secrets) {
    service += `,v1=${hmacSha256(secret.key, `${timestamp}.${body}`, 'hex')}`;
    standard += `${standard === '' ? '' : ' '}v1,${hmacSha256(secret.rawKey, `${webhookId}.${timestamp}.${body}`, 'base64')}`;
  }
  return { service, standard };
}
