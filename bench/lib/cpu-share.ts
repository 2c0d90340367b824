import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Short beside the time that a thread is scheduled for, so that what is held back waits only some milliseconds. Microseconds. */
const PERIOD = 10_000;
const UNIFIED = '/sys/fs/cgroup';
const CPU_V1 = '/sys/fs/cgroup/cpu';

/** The processes that this one has started, and that still run. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Where groups with a limit of CPU are made; null: nowhere that this process may write to. */
function root(): { path: string; isUnified: boolean } | null {
  try {
    if (existsSync(join(CPU_V1, 'cpu.shares'))) return { path: CPU_V1, isUnified: false };
    writeFileSync(join(UNIFIED, 'cgroup.subtree_control'), '+cpu');
    return { path: UNIFIED, isUnified: true };
  } catch {
    return null;
  }
}

/**
 * Has each of these processes, with all its threads, run for at most this part of one core (control groups of Linux, of either version).
 * Returns what waits for their end and takes the groups away. Throws where there can be none: it needs root.
 */
export function limitCpu(pids: readonly number[], cores: number): () => Promise<void> {
  const at = root();
  if (!at) throw new Error('limits of CPU need control groups that may be written to: run it as root on Linux');
  const quota = Math.round(PERIOD * cores);
  const groups = pids.map((pid) => {
    const group = join(at.path, `posthorn-bench-${pid}`);
    mkdirSync(group);
    if (at.isUnified) writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD}`);
    else {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
    }
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return group;
  });
  return async () => {
    for (const group of groups) await removed(group);
  };
}

/** A group is busy until the last of its processes has ended, which those that were started by another do after it. */
async function removed(group: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rmdir(group);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === 50) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}
