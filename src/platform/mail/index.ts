export type { Mailer } from './mailer.ts';
export { mailerOf } from './mailer-of.ts';
