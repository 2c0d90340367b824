#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { auditCommand } from './audit-command.ts';
import { exportCommand } from './export-command.ts';
import { UnreadableFile } from './formats/fit.ts';
import { importCommand } from './import-command.ts';
import { ServiceError } from './service.ts';

/** Exit codes: 0 all fine; 1 something failed; 2 the command line is wrong. */
const FAILED = 1;
const USAGE = 2;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('posthorn')
  .description('Works with a running Posthorn service over HTTP; audit works on its database.')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(posthorn --help shows what there is)')
  .addHelpText(
    'after',
    `
Examples:
  $ posthorn import markdown ./content/posts --email editor@example.com --password …
  $ posthorn export ndjson backup.ndjson --token …
  $ posthorn audit verify

Exit codes: 0 all fine, 1 something failed, 2 wrong command line.`,
  )
  .addCommand(importCommand((code) => (process.exitCode = code)))
  .addCommand(exportCommand((code) => (process.exitCode = code)))
  .addCommand(auditCommand((code) => (process.exitCode = code)));

/** Subcommands do not inherit exitOverride by themselves. */
const overrideAll = (command: Command): void => {
  for (const sub of command.commands)
    overrideAll(sub.exitOverride().showHelpAfterError('(--help shows what it takes)'));
};
overrideAll(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  } else {
    const known =
      error instanceof ServiceError ||
      error instanceof UnreadableFile ||
      ['ConfigError', 'DataDirInUseError'].includes((error as Error).name) ||
      (error as NodeJS.ErrnoException).code !== undefined;
    console.error(known ? `posthorn: ${(error as Error).message}` : error);
    process.exitCode = FAILED;
  }
}
