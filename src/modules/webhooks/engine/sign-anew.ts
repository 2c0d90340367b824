import type { SigningSecret } from '../../accounts/index.ts';
import type { Attempts } from './attempts.ts';
import type { AttemptOutcome, EngineEndpoint, Ticket } from './types.ts';

/** Makes an attempt with the secrets that are known. */
export type SendSigned = (
  ticket: Ticket,
  endpoint: EngineEndpoint,
  secrets: readonly SigningSecret[],
) => Promise<AttemptOutcome>;

/**
 * What was signed before a rotation was known here may come to a receiver that has the new secret already. Its refusal
 * says nothing about the delivery, so the request goes once more with the signatures of now; it is the same attempt.
 * `secretsNow` gives the account's valid secrets; when it fails, the refusal stands.
 */
export function signingAnew(
  attempts: Attempts,
  secretsNow: (accountId: string) => Promise<readonly SigningSecret[]>,
): SendSigned {
  const refused = async (outcome: AttemptOutcome, ...[ticket, endpoint, secrets]: Parameters<SendSigned>) => {
    const now = await secretsNow(endpoint.accountId).catch(() => secrets);
    const isOutdated = now.some(({ keyId }) => secrets.every((old) => old.keyId !== keyId));
    return isOutdated ? attempts.run(ticket, endpoint.id, endpoint, now) : outcome;
  };
  return (ticket, endpoint, secrets) =>
    attempts
      .run(ticket, endpoint.id, endpoint, secrets)
      .then((outcome) => (outcome.errorClass === 'HTTP_4XX' ? refused(outcome, ticket, endpoint, secrets) : outcome));
}
