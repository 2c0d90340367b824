import { systemClock } from '../../lib/clock.ts';
import type { Config } from '../../platform/config/index.ts';
import { listeningUrl } from '../../platform/http/listening.ts';
import { connect, type GlobalOptions, normalUrl } from '../connection/connect.ts';
import { Failure } from '../failure.ts';
import { readHealth } from '../connection/health.ts';
import { isSameSeries, VERSION } from '../connection/version.ts';
import { clockFinding } from './clock-finding.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** `Date` of a reply has whole seconds. Milliseconds. */
const ROUGHNESS_MS = 1000;

async function lookAt(what: string, url: string, todo: string): Promise<Finding[]> {
  const before = systemClock.now();
  const health = await readHealth(url).catch((error: Error) => error);
  if (health instanceof Error) return [warn(what, health.message.replace(/\. .*$/s, ''), todo)];
  const { version, ready, time } = health;
  const findings = [
    ready
      ? ok(what, `${url} is ready`)
      : fail(what, `${url} runs, and is not ready`, 'its database does not answer: see the log of the service'),
  ];
  if (!isSameSeries(version)) {
    findings.push(
      warn(
        'version',
        `the service is ${version ?? 'older'}, this program is ${VERSION}`,
        "use the program of the service's version",
      ),
    );
  }
  if (time !== undefined) {
    findings.push(
      clockFinding(
        'clock, against the service',
        time + ROUGHNESS_MS / 2,
        (before + systemClock.now()) / 2,
        ROUGHNESS_MS,
      ),
    );
  }
  return findings;
}

/** Whether the service answers, here and under the address that the outside has; it need not run. */
export async function checkService(options: GlobalOptions, config: Config | null): Promise<Finding[]> {
  // A port of 0 is known to the service alone.
  const how = config === null || config.PORT === 0 ? {} : { otherwise: listeningUrl({ address: () => null }, config) };
  const here = await connect(options, { ...how, anonymous: true }).catch((error: unknown) => {
    // Which service is meant cannot be known: that is what was found out, and nothing to end at.
    if (error instanceof Failure) return error;
    throw error;
  });
  if (here instanceof Failure) {
    return [fail('connection', here.message, 'mend it: until then commands do not reach the service either')];
  }
  const { url } = here;
  // In production npm would leave it without who waits for its end (docs/operations.md).
  const command = config?.POSTHORN_ENV === 'production' ? 'node src/main.ts' : 'npm start';
  const findings = await lookAt('service', url, `start it with "${command}", or give its address with --url`);
  const publicUrl = config?.POSTHORN_PUBLIC_URL && normalUrl(config.POSTHORN_PUBLIC_URL);
  if (publicUrl === undefined || publicUrl === url) return findings;
  const outside = await lookAt(
    'public address',
    publicUrl,
    'check POSTHORN_PUBLIC_URL, DNS, and the proxy in front of the service',
  );
  return [...findings, ...outside.slice(0, 1)];
}
