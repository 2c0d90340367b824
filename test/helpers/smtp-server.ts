import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { cleanup } from './cleanup.ts';

/** A mail as the server got it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header fields by name in lower case, unfolded. */
  headers: Readonly<Record<string, string>>;
  /** All of the header as it came. */
  head: string;
  /** Decoded. */
  text: string;
}

/** Where in the conversation the server is about to answer; `taken`: after the text of a mail. */
export type Stage = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'taken';
/** A reply line, or `never`: nothing comes; `drop`, `end`: the connection breaks off, or ends. */
export type SmtpAnswer = string;
/** Chooses the answer; undefined: the usual one. `nth` counts how often this stage was come to, from 0. */
export type SmtpScript = (stage: Stage, line: string, nth: number) => SmtpAnswer | undefined;

const USUAL: Record<Stage, string> = {
  greeting: '220 test ESMTP',
  EHLO: '250-test\r\n250 8BITMIME',
  AUTH: '235 2.7.0 welcome',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  taken: '250 2.0.0 taken',
};

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'head' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end);
  const headers: Record<string, string> = {};
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const at = line.indexOf(':');
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  const text = decode(raw.slice(end + 4), headers['content-transfer-encoding'] ?? '7bit');
  return { head, headers, text: text.replaceAll('\r\n', '\n') };
}

/** A real SMTP server that does as its script says, and keeps what it has taken, or was about to take. */
export class SmtpServer {
  script: SmtpScript = () => undefined;
  /** Mails whose text came, whatever was answered then. */
  readonly received: ReceivedMail[] = [];
  connections = 0;
  readonly #counts = new Map<Stage, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#talk(socket));
  #port = 0;

  /** On the port it had before, if it was closed. */
  async listen(): Promise<void> {
    await new Promise<void>((done, failed) =>
      this.#server.once('error', failed).listen(this.#port, '127.0.0.1', () => done()),
    );
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Nobody listens any more, and whoever talked to it is cut off. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #answer(socket: Socket, stage: Stage, line: string): boolean {
    const nth = this.#counts.get(stage) ?? 0;
    this.#counts.set(stage, nth + 1);
    const answer = this.script(stage, line, nth) ?? USUAL[stage];
    if (answer === 'drop') socket.destroy();
    else if (answer === 'end') socket.end();
    else if (answer !== 'never') socket.write(`${answer}\r\n`);
    return answer.startsWith('2') || answer.startsWith('3');
  }

  #talk(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    let rest = '';
    let mail: { from: string; to: string[] } = { from: '', to: [] };
    let isText = false;
    const command = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      const address = /<(.*)>/.exec(line)?.[1] ?? '';
      if (verb === 'EHLO' || verb === 'HELO') this.#answer(socket, 'EHLO', line);
      else if (verb === 'AUTH') this.#answer(socket, 'AUTH', line);
      else if (verb === 'MAIL') {
        mail = { from: address, to: [] };
        this.#answer(socket, 'MAIL', line);
      } else if (verb === 'RCPT') {
        if (this.#answer(socket, 'RCPT', line)) mail.to.push(address);
      } else if (verb === 'DATA') isText = this.#answer(socket, 'DATA', line);
      else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write(verb === 'RSET' || verb === 'NOOP' ? '250 ok\r\n' : '502 unknown\r\n');
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      rest += chunk;
      for (;;) {
        const mark = isText ? '\r\n.\r\n' : '\r\n';
        const end = rest.indexOf(mark);
        if (end < 0) return;
        const part = rest.slice(0, end);
        rest = rest.slice(end + mark.length);
        if (!isText) {
          command(part);
          continue;
        }
        isText = false;
        const raw = part.replaceAll(/^\.\./gm, '.');
        this.received.push({ ...mail, ...parse(Buffer.from(raw, 'latin1').toString('utf8')) });
        this.#answer(socket, 'taken', '');
      }
    });
    this.#answer(socket, 'greeting', '');
  }
}

/** A mail server that listens until the end of the test file. */
export async function startSmtpServer(script?: SmtpScript): Promise<SmtpServer> {
  const server = new SmtpServer();
  if (script) server.script = script;
  await server.listen();
  cleanup(() => server.close());
  return server;
}
