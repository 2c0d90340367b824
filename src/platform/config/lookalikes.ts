import { distance } from '../../lib/distance.ts';
import { isOfKubernetes } from './kubernetes-variables.ts';
import { FILE_VARIABLES } from './secret-files.ts';
import { SETTINGS } from './settings.ts';

const NAMES: readonly string[] = [...Object.keys(SETTINGS), ...FILE_VARIABLES];

/** A variable that is no setting, but may have been meant as one. */
export interface Lookalike {
  name: string;
  /** The setting that it is spelt like; null where it only begins like some. */
  meant: string | null;
}

/** Words that settings begin with, and that hardly anything else in the environment of a service does. */
const BEGINNINGS =
  /^(?:BLOG_CACHE|DATABASE|DEAD_LETTER|DELIVERY|EVENTS|FANOUT|FRAUD|NATS|RATE_LIMIT|READ_DATABASE|RECORD_RETENTION|REDIS|SITE|SMTP|TRADE|WEBHOOK)_/;
/** Names with fewer letters are like too many others. */
const SHORTEST = 7;
/** Letters that are wrong, missing or too many. */
const TYPOS = 2;

/** The setting that a name is spelt almost like; null where there is none. */
export function closest(name: string): string | null {
  let [best, fewest]: [string | null, number] = [null, TYPOS + 1];
  for (const setting of NAMES) {
    if (setting.length < SHORTEST || Math.abs(setting.length - name.length) > TYPOS) continue;
    const typos = distance(name, setting);
    if (typos < fewest) [best, fewest] = [setting, typos];
  }
  return best;
}

/**
 * What may have been meant as a setting: spelt almost like one, or begun like some. Others' variables stand in the same environment, so this
 * is for a warning; those that begin with POSTHORN_ are faults already.
 */
export const lookalikes = (env: Readonly<Record<string, string | undefined>> = process.env): Lookalike[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    if (value === '' || NAMES.includes(name) || name.startsWith('POSTHORN_') || isOfKubernetes(name, value)) return [];
    const meant = closest(name);
    return meant !== null || BEGINNINGS.test(name) ? [{ name, meant }] : [];
  });

/** One line for people, without the value. */
export const toldLookalike = ({ name, meant }: Lookalike): string =>
  meant === null
    ? `${name} is not a setting of Posthorn, though it begins like one`
    : `${name} is not a setting of Posthorn; is ${meant} meant?`;
