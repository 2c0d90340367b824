import { Command } from 'commander';
import { action } from '../action.ts';

/** `posthorn doctor`. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description(
      'Check what a service needs here: settings, database, master key, clock, NATS, Redis, mail server, identity provider, disk, addresses.',
    )
    .addHelpText(
      'after',
      `
Reads the settings of this environment, as a start does, and works without a running service. Says of each ok, warn or fail, and
what to do. Exit code 1: something failed.`,
    )
    // The clients of databases and servers are loaded only here.
    .action(action(async (options) => (await import('./examine.ts')).examine(options)));
