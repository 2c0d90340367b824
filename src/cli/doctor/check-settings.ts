import { type Config, ConfigError, lookalikes, readConfig, toldLookalike } from '../../platform/config/index.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const WHAT = 'settings';

const unknownFindings = (): Finding[] =>
  lookalikes().map((lookalike) => {
    const todo = 'see docs/settings.md; one that is for another program may stay';
    return warn(WHAT, toldLookalike(lookalike), todo);
  });

/** The settings of this environment, as a service that starts in it would have them; null when it would not start. */
export function checkSettings(): { config: Config | null; findings: Finding[] } {
  try {
    const config = readConfig();
    const findings = [ok(WHAT, `they fit together; POSTHORN_ENV is ${config.POSTHORN_ENV}`)];
    if (config.POSTHORN_ENV === 'production' && config.POSTHORN_PUBLIC_URL === undefined) {
      findings.push(
        warn(
          WHAT,
          'POSTHORN_PUBLIC_URL is not set',
          'set it, so that links and feeds name the address that readers use',
        ),
      );
    }
    findings.push(...unknownFindings());
    return { config, findings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const todo = 'see docs/settings.md';
    return { config: null, findings: [...error.faults.map((fault) => fail(WHAT, fault, todo)), ...unknownFindings()] };
  }
}
