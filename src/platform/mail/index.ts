export { createMailer, type Mailer } from './mailer.ts';
export { parseSmtpUrl } from './smtp-url.ts';
