import { styleText } from 'node:util';
import type { GlobalOptions } from '../connection/connect.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { printJson } from '../output/print.ts';
import { checkDatabase } from './database/check-database.ts';
import { checkFolder } from './check-machine.ts';
import { checkKeySet, checkMail } from './check-outside.ts';
import { checkNats } from './check-nats.ts';
import { checkRedis } from './check-servers.ts';
import { checkService } from './check-service.ts';
import { checkSettings } from './check-settings.ts';
import type { Finding, State } from './finding.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const satisfies Record<State, string>;

function tell({ what, state, found, todo }: Finding): void {
  const mark = styleText(COLOURS[state], state.padEnd(4), { stream: process.stdout });
  console.log(`${mark}  ${what}: ${printable(found)}`);
  if (todo !== null) console.log(`      ${printable(todo)}`);
}

/** Everything that a service needs, found out from here; gives the exit code. Changes nothing. */
export async function examine(options: GlobalOptions): Promise<number> {
  const { config, findings } = checkSettings();
  if (config !== null) {
    findings.push(...(await checkDatabase(config)), await checkNats(config), await checkRedis(config));
    findings.push(...(await checkMail(config)), ...(await checkKeySet(config)), ...(await checkFolder(config)));
  }
  findings.push(...(await checkService(options, config)));
  const count = (state: State): number => findings.filter((f) => f.state === state).length;
  const counts = { ok: count('ok'), warn: count('warn'), fail: count('fail') };
  if (options.json) printJson({ ...counts, findings });
  else {
    for (const finding of findings) tell(finding);
    console.log(`\n${counts.ok} ok, ${counts.warn} to look at, ${counts.fail} failed`);
  }
  return counts.fail > 0 ? EXIT.FAILED : EXIT.FINE;
}
