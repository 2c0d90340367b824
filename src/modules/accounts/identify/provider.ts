import type { JSONWebKeySet } from 'jose';
import type { Config } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { fetchJson, parseTargetUrl, policyOf, type Sender } from '../../../platform/outbound/index.ts';
import type { FetchJwks } from './key-set.ts';

const CONSEQUENCE =
  'the key set is not fetched, and no token of the identity provider is accepted. POSTHORN_ALLOWED_TARGETS names addresses that may be reached besides public ones; http is for development only';

/** The outside identity provider whose tokens are accepted as sessions. */
export interface Provider {
  issuer: string;
  audience: string;
}

/**
 * The provider of the settings, or null without POSTHORN_OIDC_ISSUER. Throws without POSTHORN_OIDC_AUDIENCE: tokens that
 * the provider made out to other services would be good here, and each of those services could act as our users.
 */
export function providerOf(config: Config): Provider | null {
  const { POSTHORN_OIDC_ISSUER: issuer, POSTHORN_OIDC_AUDIENCE: audience } = config;
  if (issuer === undefined) return null;
  if (audience === undefined) throw new Error('POSTHORN_OIDC_ISSUER needs POSTHORN_OIDC_AUDIENCE');
  return { issuer, audience };
}

/**
 * Gets the key set of POSTHORN_OIDC_JWKS_URL under the same guard as webhooks: see `fetchJson`. An address that this guard
 * will refuse is told in the log at once: nobody could sign in by the provider. A name may still resolve to such an address.
 */
export function jwksFetcher(config: Config, sender: Sender, log?: Log): FetchJwks {
  const policy = { ...policyOf(config), requireHttps: config.POSTHORN_ENV !== 'development' };
  const target = parseTargetUrl(config.POSTHORN_OIDC_JWKS_URL ?? '', policy);
  if (!target.ok) log?.warn(`POSTHORN_OIDC_JWKS_URL ${target.reason}: ${CONSEQUENCE}`);
  return async () => {
    if (!target.ok) throw new Error(`POSTHORN_OIDC_JWKS_URL ${target.reason}`);
    const fetched = await fetchJson(sender, target.url);
    if (!fetched.ok) throw new Error(`the key set could not be fetched: ${fetched.reason}`);
    return fetched.value as JSONWebKeySet;
  };
}

/** How many keys the provider's set has at the moment. Rejects where it cannot be read, or is none: the service could not use it either. */
export async function readKeySet(config: Config, sender: Sender): Promise<number> {
  const set = await jwksFetcher(config, sender)();
  const { createLocalJWKSet } = await import('jose');
  createLocalJWKSet(set);
  return set.keys.length;
}
