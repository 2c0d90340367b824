import { Command } from 'commander';

/** `posthorn audit …`. The exit code is given to `exit`. */
export function auditCommand(exit: (code: number) => void): Command {
  const command = new Command('verify')
    .description('Hold the audit trail against its seals; exit code 1 names the first that does not fit.')
    .addHelpText(
      'after',
      `
Works on the database of the settings (DATABASE_URL, or POSTHORN_DATA_DIR while the service is stopped), and changes
nothing. Keep the last line elsewhere: whoever can write the database can also make seals anew.`,
    )
    // Loaded only here: the other commands need no database.
    .action(async () => exit(await (await import('./verify-audit.ts')).verifyAudit()));
  return new Command('audit').description('Check the audit trail.').addCommand(command);
}
