import { parseMailbox } from '../../lib/mailbox.ts';
import type { Config } from '../config/index.ts';
import { createMailer, type Mailer, type MailerOptions } from './mailer.ts';
import { parseSmtpUrl } from './smtp-url.ts';

type Limits = Pick<MailerOptions, 'silenceMs'>;

/** The mail server of the settings; null where none is set. That they can be read was checked with them. */
export function mailerOf({ SMTP_URL: url, SMTP_FROM: sender }: Config, limits: Limits = {}): Mailer | null {
  const server = url === undefined ? null : parseSmtpUrl(url);
  const from = sender === undefined ? null : parseMailbox(sender);
  return server && from ? createMailer({ server, from, ...limits }) : null;
}
