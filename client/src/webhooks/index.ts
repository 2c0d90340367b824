export type { WebhookEvent } from '../generated.ts';
export { type RawBody, sign } from './sign.ts';
export {
  type StandardHeaders,
  type VerificationFault,
  type VerifyOptions,
  verify,
  verifyStandard,
  WebhookVerificationError,
} from './verify.ts';
