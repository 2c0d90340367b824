import { createTransport } from 'nodemailer';
import { isMailAddress, type Mailbox } from '../../lib/mailbox.ts';
import type { SmtpServer } from './smtp-url.ts';

/** Connections to the mail server, per process. */
export const MAIL_CONNECTIONS = 5;
/** Silence of the server after which an attempt has failed. Milliseconds. */
const SILENCE_MS = 20_000;
/** An attempt with everything. Milliseconds. */
export const MAIL_DEADLINE_MS = 60_000;

/** A text and whom it is for. */
export interface Mail {
  /** Whatever sends it again gives the same: mail programs show what has one Message-ID once. Letters, digits, `-`. */
  id: string;
  to: Mailbox;
  subject: string;
  text: string;
  date: Date;
}

/** `isOfMail`: it is the recipient or the text; `isFinal`: and the server will never take it (5xx). */
export type MailOutcome = { kind: 'sent' } | { kind: 'failed'; isOfMail: boolean; isFinal: boolean; error: string };

export interface Mailer {
  /** Resolves within a minute, whatever the server does. Sent means that the server has taken it over. */
  send(mail: Mail): Promise<MailOutcome>;
  /** What the server has against the connection or the login; null: nothing. Sends nothing, and never rejects. */
  refusal(): Promise<string | null>;
  /** Ends what is under way. */
  close(): void;
}

export interface MailerOptions {
  server: SmtpServer;
  from: Mailbox;
  /** For tests. Milliseconds. */
  silenceMs?: number;
  deadlineMs?: number;
}

interface SmtpError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
  message?: string;
}

const told = (thrown: unknown): string => {
  const { code = 'ERROR', response, message } = thrown as SmtpError;
  return `${code} ${response ?? message ?? ''}`.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500);
};

/**
 * Only what the server says of this recipient or this text is its last word. A login or a sender that it refuses is a
 * fault of the settings: whatever waits can be sent once they are mended.
 */
function failure(thrown: unknown): MailOutcome {
  const { code = 'ERROR', command = '', responseCode = 0 } = thrown as SmtpError;
  const isOfMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE';
  return { kind: 'failed', isOfMail, isFinal: isOfMail && responseCode >= 500, error: told(thrown) };
}

/** Sends text mails over the server of the settings; a password goes over TLS only. */
export function createMailer({
  server,
  from,
  silenceMs = SILENCE_MS,
  deadlineMs = MAIL_DEADLINE_MS,
}: MailerOptions): Mailer {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && server.auth !== undefined,
    ...(server.auth ? { auth: server.auth } : {}),
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // When to try again is decided by whoever asks; by default the library would, up to five times.
    maxRequeues: 0,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    dnsTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const closing = new AbortController();
  const attempt = (mail: Mail): Promise<unknown> =>
    transport.sendMail({
      // Given by itself, so that no name or header can add a recipient.
      envelope: { from: from.address, to: [mail.to.address] },
      from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      date: mail.date,
      signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), closing.signal]),
      messageId: `<${mail.id}@${domain}>`,
      // RFC 3834 and RFC 2919: no automatic answers, and one thing for a filter to go by.
      headers: { 'Auto-Submitted': 'auto-generated', 'List-Id': `<notifications.${domain}>` },
    });
  return {
    async send(mail) {
      if (!isMailAddress(mail.to.address))
        return { kind: 'failed', isOfMail: true, isFinal: true, error: 'EADDRESS no mail address' };
      try {
        await attempt(mail);
        return { kind: 'sent' };
      } catch (error) {
        return failure(error);
      }
    },
    refusal: () =>
      transport.verify().then(
        () => null,
        (error: unknown) => told(error),
      ),
    close() {
      closing.abort();
      transport.close();
    },
  };
}
