/** A mail server, as SMTP_URL names it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`); else STARTTLS, where the server offers it. */
  secure: boolean;
  auth?: { user: string; pass: string };
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/**
 * `smtp://user:password@host:587` or `smtps://…`; null for anything else. Options in the query are not taken: they would
 * reach into the library.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null;
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '' || hash !== '') return null;
  if ((username === '') !== (password === '')) return null;
  try {
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? PORTS[protocol] : Number(port),
      secure: protocol === 'smtps:',
      ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    };
  } catch {
    return null;
  }
}
