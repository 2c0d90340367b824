/** The only place that makes outbound HTTP requests. */
export { isPublicAddress } from './address-rules.ts';
export { fetchJson } from './fetch-json.ts';
export { policyOf } from './policy.ts';
export { refusalOfHeader } from './request-headers.ts';
export { createSender, type Sender } from './sender.ts';
export { parseTargetUrl, type TargetUrl } from './target-url.ts';
export { OUTBOUND_ERROR_CLASSES } from './types.ts';
export type {
  OutboundErrorClass,
  OutboundOutcome,
  OutboundPolicy,
  OutboundRequest,
} from './types.ts';
