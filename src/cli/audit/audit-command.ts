import { Command, InvalidArgumentError } from 'commander';
import { action } from '../action.ts';
import type { KnownSeal } from '../../modules/events/index.ts';

/** `12: <hash>`, with or without the word in front that `verify` prints. */
function parseSeal(line: string): KnownSeal {
  const [, number, hash] = /^\s*(?:seal )?([1-9]\d{0,14}): ?([0-9a-f]{64})\s*$/.exec(line) ?? [];
  if (number === undefined || hash === undefined) throw new InvalidArgumentError('It is a line like "seal 12: 9f…".');
  return { number: Number(number), hash };
}

/** `posthorn audit …`. */
export function auditCommand(): Command {
  const command = new Command('verify')
    .description('Hold the audit trail against its seals and name the first that does not fit.')
    .addHelpText(
      'after',
      `
Works on the database of the settings (DATABASE_URL, or POSTHORN_DATA_DIR while the service is stopped), and changes
nothing. Exit codes: 0 it is as it was, 1 it is not, 2 that could not be found out.

Whoever can write the database can also make seals anew. Keep the last line of a run elsewhere, and give it to a later one:
  $ posthorn audit verify --expect "seal 12: 9f…"`,
    )
    .option('--expect <line>', 'the last line of an earlier run: that seal must still be there', parseSeal)
    // Loaded only here: the other commands need no database.
    .action(
      action<{ expect?: KnownSeal }>(async ({ expect, json }) =>
        (await import('./verify-audit.ts')).verifyAudit(expect, json),
      ),
    );
  return new Command('audit').description('Check the audit trail.').addCommand(command);
}
