import { Counter, Gauge } from 'prom-client';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import { MailRunner, type MailRunnerDeps } from './mail-runner.ts';
import { countMails } from './store.ts';

/** How often what is due is looked for when nothing wakes the loop. Milliseconds. */
const EVERY_MS = 5000;

export interface Mails {
  loop: Loop;
  runner: MailRunner;
  /** There is something to send. */
  wake: () => void;
}

/** Null: no mail server is set, so nobody gets e-mail. */
export function createMails(
  { db, clock, leastTime, log, nodeId, metrics, mailer }: Platform,
  recipientOf: MailRunnerDeps['recipientOf'],
): Mails | null {
  if (!mailer) return null;
  const outcomes = new Counter({
    name: 'posthorn_mails_total',
    help: 'E-mails by what became of an attempt.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  new Gauge({
    name: 'posthorn_mails_waiting',
    help: 'E-mails that are to be sent, or were given up.',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      this.reset();
      // Metrics are told without it rather than not at all.
      const found = await countMails(db).catch(() => null);
      if (!found) return;
      this.set({ state: 'waiting' }, found.waiting);
      this.set({ state: 'given_up' }, found.givenUp);
    },
  });
  let wakeLoop = (): void => undefined;
  const wake = (): void => wakeLoop();
  const count: MailRunnerDeps['count'] = (outcome) => outcomes.inc({ outcome });
  const runner = new MailRunner({ db, clock, leastTime, log, nodeId, mailer, recipientOf, count, wake });
  return {
    runner,
    wake,
    loop: {
      name: 'notification-mails',
      everyMs: EVERY_MS,
      attach: (fn) => (wakeLoop = fn),
      step: () => runner.step(),
    },
  };
}
