/** The only place that makes outbound HTTP requests. */
export { fetchJson, type FetchedJson, type FetchJsonOptions } from './fetch-json.ts';
export { refusalOfHeader } from './request-headers.ts';
export { createSender, type Sender, type SenderOptions } from './sender.ts';
export { parseTargetUrl, type ParsedTargetUrl, type TargetUrl } from './target-url.ts';
export type {
  BodyLimits,
  OutboundError,
  OutboundErrorClass,
  OutboundOutcome,
  OutboundPolicy,
  OutboundRequest,
  OutboundResponse,
  Timings,
} from './types.ts';
