import { Command } from 'commander';
import { auditCommand } from './audit/audit-command.ts';
import { accountsCommand } from './commands/accounts.ts';
import { keysCommand } from './commands/keys.ts';
import { loginCommand, logoutCommand } from './commands/login.ts';
import { postsCommand } from './commands/posts.ts';
import { statusCommand } from './commands/status.ts';
import { usersCommand } from './commands/users.ts';
import { whoamiCommand } from './commands/whoami.ts';
import { VERSION } from './connection/version.ts';
import { exportCommand } from './transfer/export-command.ts';
import { importCommand } from './transfer/import-command.ts';

const AFTER = `
Examples:
  $ posthorn login
  $ posthorn status
  $ posthorn import markdown ./content/posts

Options win over the environment (POSTHORN_URL, POSTHORN_KEY, POSTHORN_PROFILE), and that wins over what "login" kept.
Exit codes: 0 fine, 1 something failed, 2 wrong command line, 3 no service there, 4 not allowed, 5 service of another
version, 130 interrupted. Everything else: docs/cli.md`;

/** What is inherited by nobody unless it is told: how errors and help are shown. */
function settleAll(command: Command): void {
  for (const sub of command.commands) {
    sub.copyInheritedSettings(command).showHelpAfterError('(--help shows what it takes)');
    settleAll(sub);
  }
}

/** The commands, under the headings of the help. */
const groups = (): [heading: string, commands: Command[]][] => [
  ['Service:', [loginCommand(), logoutCommand(), whoamiCommand(), statusCommand(), auditCommand()]],
  ['People and keys:', [accountsCommand(), keysCommand(), usersCommand()]],
  ['Blog:', [postsCommand(), importCommand(), exportCommand()]],
];

/** The whole tree of commands. */
export function createProgram(): Command {
  const program = new Command('posthorn')
    .description('Works with a running Posthorn service. doctor and audit work beside it.')
    .version(VERSION)
    .option('--url <address>', 'address of the service')
    .option('--key <credential>', 'API key, or access token of a user')
    .option('--profile <name>', 'use what was kept under this name by "posthorn login --profile"')
    .option('--json', 'print JSON: one document, or a line for each of what goes on')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError('(posthorn --help shows what there is)')
    .addHelpText('after', AFTER);
  for (const [group, commands] of groups()) {
    program.commandsGroup(group);
    for (const command of commands) program.addCommand(command);
  }
  settleAll(program);
  return program;
}
