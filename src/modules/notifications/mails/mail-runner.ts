import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { Seldom } from '../../../platform/log/seldom.ts';
import type { Mailer } from '../../../platform/mail/index.ts';
import type { Platform } from '../../../platform/platform.ts';
import { mailText } from './mail-text.ts';
import { type ClaimedMail, claimMails, releaseMails, removeMail, saveFailedMail, wantsMail } from './store.ts';

/** Mails under way per process; more would wait for a connection (platform/mail). */
const AT_ONCE = 5;
/** An attempt takes a minute at most (platform/mail); whoever dies meanwhile is taken over from after this. Milliseconds. */
export const LEASE_MS = 120_000;
const MINUTE = 60_000;
/** Waits after failed attempts; what fails once more is given up, some eleven hours later. Milliseconds. */
export const WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 480 * MINUTE] as const;
/** Nobody is told of anything later than this, say because no mail server was set meanwhile. Milliseconds. */
export const OLD_AFTER_MS = 48 * 60 * MINUTE;

/** Recipients refused, with no mail sent in between, that make it a fault of the server (a look-up of its own that fails). */
const REFUSED_IN_A_ROW = 3;

/** `dropped`: there was nobody to send it to, or he has read it already. */
export type Outcome = 'sent' | 'dropped' | 'failed' | 'given_up';

export interface MailRunnerDeps {
  db: Db;
  clock: Clock;
  leastTime: Platform['leastTime'];
  log: Log;
  nodeId: string;
  mailer: Pick<Mailer, 'send'>;
  recipientOf: (db: Db, marketplaceId: string) => Promise<{ userId: string; name: string; email: string } | null>;
  count: (outcome: Outcome) => void;
  /** There is room again. */
  wake: () => void;
  /** Of a clock that never jumps. Milliseconds. */
  monotonic?: () => number;
}

/** With why, where it is not done with. */
type Verdict =
  | { outcome: 'sent' | 'dropped'; error?: never }
  | { outcome: 'failed' | 'given_up'; error: string; isOfMail: boolean };

/**
 * Sends the mails that reactions have left in the database, at least once: the row goes after the server has taken the
 * mail over, so a crash in between sends it again, under the same Message-ID.
 */
export class MailRunner {
  readonly #deps: MailRunnerDeps;
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;
  #isAbandoned = false;
  readonly #failures: Seldom;
  /** It was said that mails are not sent. */
  #isFailing = false;
  /** Users whose mails were refused for themselves since the last one that was sent. */
  readonly #refused = new Set<string>();

  constructor(deps: MailRunnerDeps) {
    this.#deps = deps;
    this.#failures = new Seldom(deps.monotonic ?? monotonicNow);
  }

  /** Takes on as many as there is room for, without waiting for their end; true when more may be due. */
  async step(): Promise<boolean> {
    const room = AT_ONCE - this.#running.size;
    if (room <= 0 || this.#isStopped) return false;
    const { db, clock, nodeId, log, wake } = this.#deps;
    const claimed = await claimMails(db, {
      owner: nodeId,
      now: new Date(clock.now()),
      leaseMs: LEASE_MS,
      limit: room,
    });
    for (const mail of claimed) {
      const running = this.#handle(mail)
        // Its lease ends, and it is tried again.
        .catch((error: unknown) => log.error({ err: error, notificationId: mail.notificationId }, 'a mail failed'))
        .finally(() => {
          this.#running.delete(running);
          wake();
        });
      this.#running.add(running);
    }
    return claimed.length === room;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Takes on no more, waits up to `ms` for what is under way, and leaves the rest to other nodes. */
  async stop(ms: number): Promise<void> {
    this.#isStopped = true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.idle(), new Promise((done) => (timer = setTimeout(done, ms)))]);
    clearTimeout(timer);
    if (this.#running.size === 0) return;
    this.#isAbandoned = true;
    await releaseMails(this.#deps.db, this.#deps.nodeId);
  }

  async #handle(mail: ClaimedMail): Promise<void> {
    const { db, clock, nodeId, count } = this.#deps;
    const verdict = await this.#attempt(mail);
    // It is another node's by now, and the database may be closed.
    if (this.#isAbandoned) return;
    count(verdict.outcome);
    this.#tell(verdict, mail);
    if (verdict.error === undefined) return removeMail(db, mail.notificationId);
    const { error, outcome } = verdict;
    const now = clock.now();
    const wait = outcome === 'failed' ? WAITS_MS[mail.attempts] : undefined;
    const nextAttemptAt = wait === undefined ? null : new Date(now + wait);
    await saveFailedMail(db, nodeId, mail, { error, nextAttemptAt, now: new Date(now) });
  }

  /**
   * A mail server that is away fails each mail, and what it says differs by numbers of its own: the same code is told once a minute. What is
   * of one recipient (a full mailbox, a server that takes nobody new at once) says nothing of the others, unless none of them is taken.
   */
  #tell(verdict: Verdict, { notificationId, userId }: ClaimedMail): void {
    const { log } = this.#deps;
    const { outcome, error } = verdict;
    if (outcome === 'given_up') log.warn({ notificationId, error }, 'a mail was given up');
    if (outcome === 'sent' && this.#isFailing) log.info('mails are sent again');
    if (outcome === 'sent') {
      this.#isFailing = false;
      this.#refused.clear();
    }
    if (outcome !== 'failed' || this.#isOfOne(verdict.isOfMail, userId)) return;
    const untold = this.#failures.due(error.split(' ', 1).join(''));
    if (untold === null) return;
    this.#isFailing = true;
    log.warn(
      { notificationId, error, ...(untold === 0 ? {} : { untold }) },
      'a mail could not be sent; it is tried again',
    );
  }

  #isOfOne(isOfMail: boolean, userId: string): boolean {
    if (isOfMail && this.#refused.size < REFUSED_IN_A_ROW) this.#refused.add(userId);
    return isOfMail && this.#refused.size < REFUSED_IN_A_ROW;
  }

  async #attempt(mail: ClaimedMail): Promise<Verdict> {
    const { db, mailer, recipientOf } = this.#deps;
    if (mail.readAt !== null) return { outcome: 'dropped' };
    if (await this.#isOld(mail)) return { outcome: 'given_up', error: 'EXPIRED', isOfMail: true };
    const recipient = await recipientOf(db, mail.userId);
    if (!recipient || !(await wantsMail(db, recipient.userId))) return { outcome: 'dropped' };
    const sent = await mailer.send({
      id: mail.notificationId,
      to: { name: recipient.name, address: recipient.email },
      date: mail.createdAt,
      ...mailText(mail),
    });
    if (sent.kind === 'sent') return { outcome: 'sent' };
    const isLast = sent.isFinal || mail.attempts >= WAITS_MS.length;
    return { outcome: isLast ? 'given_up' : 'failed', error: sent.error, isOfMail: sent.isOfMail };
  }

  /** By the database's clock as well: it is given up for good. That is only asked when it is by this node's. */
  async #isOld({ createdAt }: ClaimedMail): Promise<boolean> {
    const { clock, leastTime } = this.#deps;
    const until = createdAt.getTime() + OLD_AFTER_MS;
    return clock.now() > until && (await leastTime()) > until;
  }
}
