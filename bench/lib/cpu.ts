import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of /proc (100 on every Linux that Node runs on). */
const TICKS = 100;

/** CPU seconds (user + system) that a process has used; 0 once it is gone. Linux only. */
export const cpuOf = (pid: number): number => cpuIn(`/proc/${pid}/stat`);

/** The same of its main thread. */
export const cpuOfMainThread = (pid: number): number => cpuIn(`/proc/${pid}/task/${pid}/stat`);

function cpuIn(file: string): number {
  try {
    const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return 0;
  }
}

/** The same of a process and all that it has started and that still run. */
export function cpuOfTree(pid: number): number {
  let children: string[] = [];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((c) => c !== '');
  } catch {
    // It is gone, and so is what it used.
  }
  return children.reduce((sum, child) => sum + cpuOfTree(Number(child)), cpuOf(pid));
}

/** CPU seconds that the whole machine was not idle. */
export function cpuOfMachine(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS;
}

/** CPU seconds of all PostgreSQL processes of the machine, those included that have ended under the postmaster. */
export function cpuOfPostgres(): number {
  let total = 0;
  for (const pid of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      if (!readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      // Its own, and of those that it has waited for: backends end with their connections.
      total += fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return total;
}
