import { fail, type Finding, ok, warn } from './finding.ts';

/** One of them is wrong, and all is timed by the database's. Milliseconds. */
const WARN_MS = 5000;
/** Receivers refuse signatures whose time is off by more (interface.md, section 6.5). Milliseconds. */
const FAIL_MS = 300_000;

/** Whether two clocks agree; `roughness` is how exact the other one was told. Milliseconds. */
export function clockFinding(what: string, theirs: number, ours: number, roughness: number): Finding {
  const off = Math.abs(theirs - ours);
  const told = `${(off / 1000).toFixed(1)} s apart`;
  const todo = 'set the clocks of both machines by NTP';
  if (off > FAIL_MS) return fail(what, `${told}: if the database is wrong, receivers refuse what is signed`, todo);
  if (off > WARN_MS + roughness) return warn(what, told, todo);
  return ok(what, off <= 1000 + roughness ? 'the same time' : told);
}
