import { Command } from 'commander';
import { auditCommand } from './audit/audit-command.ts';
import { accountsCommand } from './people/accounts.ts';
import { changesCommand } from './people/changes.ts';
import { checkGiven } from './check-given.ts';
import { completionCommand } from './completion/completion-command.ts';
import { deliveriesCommand } from './webhooks/deliveries.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { endpointsCommand } from './webhooks/endpoints.ts';
import { inboundCommand } from './trades/inbound.ts';
import { eventsCommand } from './events/events.ts';
import { keysCommand } from './people/keys.ts';
import { listenCommand } from './listen/listen-command.ts';
import { loginCommand, logoutCommand } from './session/login.ts';
import { postsCommand } from './posts/posts.ts';
import { statusCommand } from './session/status.ts';
import { tradesCommand } from './trades/trades.ts';
import { triggerCommand } from './events/trigger.ts';
import { usersCommand } from './people/users.ts';
import { whoamiCommand } from './session/whoami.ts';
import { VERSION } from './connection/version.ts';
import { exportCommand } from './transfer/export-command.ts';
import { importCommand } from './transfer/import-command.ts';

const AFTER = `
Examples:
  $ posthorn login
  $ posthorn status
  $ posthorn listen --forward-to localhost:4000/hooks
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
const groups = (program: Command): [heading: string, commands: Command[]][] => [
  ['Service:', [loginCommand(), logoutCommand(), whoamiCommand(), statusCommand(), doctorCommand(), auditCommand()]],
  ['People and keys:', [accountsCommand(), keysCommand(), usersCommand(), changesCommand()]],
  [
    'Webhooks and events:',
    [listenCommand(), triggerCommand(), endpointsCommand(), deliveriesCommand(), eventsCommand()],
  ],
  ['Trades:', [tradesCommand(), inboundCommand()]],
  ['Blog:', [postsCommand(), importCommand(), exportCommand()]],
  ['Shell:', [completionCommand(() => program)]],
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
    .hook('preAction', (_program, command) => checkGiven(command))
    .showHelpAfterError('(posthorn --help shows what there is)')
    .addHelpText('after', AFTER);
  for (const [group, commands] of groups(program)) {
    program.commandsGroup(group);
    for (const command of commands) program.addCommand(command);
  }
  settleAll(program);
  return program;
}
