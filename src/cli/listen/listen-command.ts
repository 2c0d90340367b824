import { Command, Option } from 'commander';
import { action } from '../action.ts';
import { positive } from '../output/arguments.ts';
import type { ListenOptions } from './listen.ts';

/** `posthorn listen`. */
export const listenCommand = (): Command =>
  new Command('listen')
    .description(
      'Have webhooks on your machine: verified, forwarded to a local receiver, and told of. Works behind a firewall.',
    )
    .option('--forward-to <url>', 'where to send each: localhost:4000/hooks')
    .option('--account <account>', 'whose webhooks: id or name (default: your only account)')
    .option('--events <event...>', 'only these (default: all of the account’s kind)')
    .option('--endpoint <id>', 'read the feed of this endpoint, in place of a temporary one')
    .addOption(new Option('--from <place>', 'where to begin with --endpoint (default: now)').choices(['start', 'now']))
    .addOption(new Option('--cursor <cursor>', 'begin behind this webhook').conflicts('from'))
    .option('--secret <secret>', 'signing secret to verify with (default: one that listen makes for you)')
    .option('--no-verify', 'do not verify signatures')
    .option('--print-secret', 'print the signing secret and end, for your receiver')
    .option('--ack-all', 'acknowledge every webhook, not only what your receiver took with 2xx, and with it all before')
    .option('--count <n>', 'end after so many', positive)
    .addHelpText(
      'after',
      `
An endpoint is made, paused, and deleted at the end, also after Ctrl-C; what it holds meanwhile is gone with it. Body and headers are
those that the service would send. Signatures are fresh, also on webhooks of the past.

Examples:
  $ posthorn listen --forward-to localhost:4000/hooks
  $ SIGNING_SECRET=$(posthorn listen --print-secret) node receiver.mjs`,
    )
    // The rest is loaded only here.
    .action(action<ListenOptions>(async (options) => (await import('./listen.ts')).listen(options)));
