import { parseArgs } from 'node:util';
import { lookalikes, readConfig, toldLookalike } from '../platform/config/index.ts';
import type { Log } from '../platform/log/log.ts';
import { processesOf } from './cores/processes.ts';
import { isChild } from './cores/supervisor-link.ts';
import { endWhileStarting } from './end-while-starting.ts';
import { endWithNpm } from './end-with-npm.ts';
import { failStart } from './fail-start.ts';
import { openLog } from './open-log.ts';
import { type Role, ROLES } from './role.ts';
import { tryListening } from './try-listening.ts';

const USAGE = `usage: npm start [-- --role all|api|worker]

Starts Posthorn. Settings are environment variables: see docs/settings.md.`;

interface Arguments {
  role: Role;
  /** Given by a supervisor to its children only. */
  number: number | undefined;
}

const OPTIONS = {
  role: { type: 'string', default: 'all' },
  process: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Ends with what is wrong, rather than a stack, where an option is unknown or lacks its value. */
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

function argumentsOf(args: readonly string[]): Arguments {
  const { values } = parse(args);
  const isLost = (values.process !== undefined) !== isChild();
  if (isLost && isChild())
    console.error(
      'Posthorn starts its processes itself (WEB_CONCURRENCY): run it as one program, not in the cluster mode of another',
    );
  const isRole = ROLES.includes(values.role);
  if (!values.help && !isRole) console.error(`There is no role "${values.role}": it is all, api or worker\n`);
  if (values.help || isLost || !isRole) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return { role: values.role as Role, number: values.process === undefined ? undefined : Number(values.process) };
}

/** The service from the command line: in this process, or in several that this one looks after. */
export async function main(args: readonly string[]): Promise<void> {
  const { role, number } = argumentsOf(args);
  let log: Log | undefined;
  const isStarted = endWhileStarting(
    (signal) => log?.info({ signal }, 'asked to stop before it was started: ending'),
    0,
  );
  try {
    const config = readConfig();
    log = openLog(config);
    if (number !== undefined) log = log.child({ process: number });
    else {
      endWithNpm();
      for (const lookalike of lookalikes()) log.warn(toldLookalike(lookalike));
      await tryListening(config);
    }
    const processes = number === undefined ? processesOf(config, role) : 1;
    // Loaded by need: a supervisor has nothing of the service in its memory.
    if (processes > 1) {
      const { supervise } = await import('./cores/supervise.ts');
      supervise(config, log, { role, processes });
      isStarted();
    } else {
      const { serve } = await import('./serve.ts');
      await serve(config, log, { role, number, isStarted });
    }
  } catch (error) {
    failStart(error, log);
  }
}
