import type { Config } from '../config/index.ts';
import type { OutboundPolicy } from './types.ts';

/** Loopback is where a developer's receivers run; in production nothing but public addresses is reached by default. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Where the settings let requests go: webhooks, and those to the identity provider. */
export const policyOf = (config: Config): OutboundPolicy => ({
  allowedTargets: config.POSTHORN_ALLOWED_TARGETS ?? (config.POSTHORN_ENV === 'production' ? [] : LOOPBACK),
  requireHttps: config.POSTHORN_ENV === 'production',
  ...(config.POSTHORN_NAME_SERVERS === undefined ? {} : { nameServers: config.POSTHORN_NAME_SERVERS }),
});
