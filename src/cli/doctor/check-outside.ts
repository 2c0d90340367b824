import { readKeySet } from '../../modules/accounts/index.ts';
import type { Config } from '../../platform/config/index.ts';
import { mailerOf } from '../../platform/mail/index.ts';
import { createSender, policyOf } from '../../platform/outbound/index.ts';
import { fail, type Finding, ok } from './finding.ts';

/** Longest silence of a mail server. Milliseconds. */
const SILENCE_MS = 5000;

/** Whether the mail server of the settings takes the connection and the login. Nothing is sent; nothing to say where none is set. */
export async function checkMail(config: Config): Promise<Finding[]> {
  const mailer = await mailerOf(config, { silenceMs: SILENCE_MS });
  if (mailer === null) return [];
  const what = 'mail server';
  const refused = await mailer.refusal();
  mailer.close();
  if (refused === null) return [ok(what, 'takes the connection and the login (SMTP_URL)')];
  return [fail(what, refused, 'check SMTP_URL, and that the server runs; until then e-mails wait, and are given up')];
}

/** Whether the key set of the identity provider can be read as the service reads it; nothing where there is no provider. */
export async function checkKeySet(config: Config): Promise<Finding[]> {
  if (config.POSTHORN_OIDC_JWKS_URL === undefined) return [];
  const what = 'identity provider';
  const sender = createSender(policyOf(config));
  try {
    const count = await readKeySet(config, sender);
    const found = `its key set has ${count} ${count === 1 ? 'key' : 'keys'} (POSTHORN_OIDC_JWKS_URL)`;
    return [count > 0 ? ok(what, found) : fail(what, found, 'check that it is the key set of POSTHORN_OIDC_ISSUER')];
  } catch (error) {
    const todo =
      'check POSTHORN_OIDC_JWKS_URL, and that POSTHORN_ALLOWED_TARGETS has its address where that is not public; until then none of its users can come in';
    return [fail(what, (error as Error).message, todo)];
  } finally {
    await sender.close();
  }
}
