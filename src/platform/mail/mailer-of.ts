import { parseMailbox } from '../../lib/mailbox.ts';
import type { Config } from '../config/index.ts';
import type { Mailer, MailerOptions } from './mailer.ts';
import { parseSmtpUrl } from './smtp-url.ts';

type Limits = Pick<MailerOptions, 'silenceMs'>;

/** The mail server of the settings; null where none is set, and nothing is loaded for one. That they can be read was checked with them. */
export async function mailerOf(
  { SMTP_URL: url, SMTP_FROM: sender }: Config,
  limits: Limits = {},
): Promise<Mailer | null> {
  const server = url === undefined ? null : parseSmtpUrl(url);
  const from = sender === undefined ? null : parseMailbox(sender);
  if (!server || !from) return null;
  const { createMailer } = await import('./mailer.ts');
  return createMailer({ server, from, ...limits });
}
