import { fullFormats } from 'ajv-formats/dist/formats.js';
import { parseMailbox } from '../../lib/mailbox.ts';
import { parseSmtpUrl } from '../mail/smtp-url.ts';
import { parseNatsUrl } from '../nats/servers.ts';
import { CLIENT_VARIABLES } from './client-variables.ts';
import { isOfKubernetes } from './kubernetes-variables.ts';
import { closest } from './lookalikes.ts';
import { parseValue } from './parse-value.ts';
import { FILE_VARIABLES, writtenOf } from './secret-files.ts';
import { SETTINGS, type Setting, type SettingName } from './settings.ts';

type ValueOf<S extends Setting> = S['kind'] extends 'integer'
  ? number
  : S['kind'] extends 'count'
    ? number | 'auto'
    : S['kind'] extends 'boolean'
      ? boolean
      : S['kind'] extends 'cidrs' | 'servers' | 'origins'
        ? readonly string[]
        : S extends { oneOf: readonly (infer O)[] }
          ? O
          : string;

type Optional<S extends Setting> = S extends { default: string } ? ValueOf<S> : ValueOf<S> | undefined;

/** The settings, parsed once at start and frozen. A later change of the environment changes nothing. */
export type Config = { readonly [N in SettingName]: Optional<(typeof SETTINGS)[N]> };

/** All faults of the environment at once, so that they are mended in one go. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      `${faults.length === 1 ? 'A setting is' : `${faults.length} settings are`} wrong:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The same pattern as `format: email` of the API. */
const isEmail = (text: string): boolean => (fullFormats.email as RegExp).test(text);

function isDecodable(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

/** As POST /v1/auth/sign-in takes them: what it refuses would make an operator who can never come in. */
function checkOperator(email: string | undefined, password: string | undefined, faults: string[]): void {
  if (email !== undefined && (email.length < 3 || email.length > 254 || !isEmail(email))) {
    faults.push('POSTHORN_OPERATOR_EMAIL must be an e-mail address of 3 to 254 characters');
  }
  const length = password === undefined ? 12 : Array.from(password).length;
  if (length < 12) faults.push('POSTHORN_OPERATOR_PASSWORD must have at least 12 characters');
  if (length > 200) faults.push('POSTHORN_OPERATOR_PASSWORD must have at most 200 characters');
}

function checkMail(url: string | undefined, from: string | undefined, faults: string[]): void {
  if (url !== undefined && parseSmtpUrl(url) === null) {
    faults.push('SMTP_URL must be smtp:// or smtps:// with a host, and user name and password both or neither');
  }
  if (from !== undefined && parseMailbox(from) === null) {
    faults.push('SMTP_FROM must be an e-mail address, or a name and one: Shop <no-reply@example.com>');
  }
}

function checkNats(url: string | undefined, faults: string[]): void {
  const parsed = url === undefined ? null : parseNatsUrl(url);
  if (parsed?.ok === false) faults.push(`NATS_URL ${parsed.reason}`);
}

/** What the client of Redis would refuse, with a message that names no setting. */
function checkRedis(url: string | undefined, faults: string[]): void {
  if (url === undefined) return;
  const { hostname, pathname, username, password } = new URL(url);
  const [isPlace, isEncoded] = [hostname !== '' && /^\/?\d*$/.test(pathname), isDecodable(username + password)];
  if (!isPlace)
    faults.push('REDIS_URL must have a host, and behind it at most the number of a database: redis://host:6379/0');
  if (!isEncoded) faults.push('REDIS_URL must have user name and password percent-encoded: %25 stands for %');
}

/**
 * Rules over more than one setting. `c` has no value where a setting is at fault, so that nothing is concluded from a
 * value that is wrong; whether it was given at all is known all the same.
 */
function checkTogether(c: Config, isGiven: (name: SettingName) => boolean, faults: string[]): void {
  const check = (ok: boolean, fault: string): void => {
    if (!ok) faults.push(fault);
  };
  const shared = isGiven('DATABASE_URL');
  const production = c.POSTHORN_ENV === 'production';
  const key = c.POSTHORN_MASTER_KEY;
  check(
    key === undefined || Buffer.from(key, 'base64').length === 32,
    'POSTHORN_MASTER_KEY must be 32 bytes in base64 (openssl rand -base64 32)',
  );
  check(
    isGiven('POSTHORN_MASTER_KEY') || !(shared || production),
    'POSTHORN_MASTER_KEY is needed with DATABASE_URL or in production (openssl rand -base64 32)',
  );
  check(
    isGiven('POSTHORN_OPERATOR_EMAIL') === isGiven('POSTHORN_OPERATOR_PASSWORD'),
    'POSTHORN_OPERATOR_EMAIL and POSTHORN_OPERATOR_PASSWORD go together',
  );
  checkOperator(c.POSTHORN_OPERATOR_EMAIL, c.POSTHORN_OPERATOR_PASSWORD, faults);
  check(isGiven('SMTP_URL') === isGiven('SMTP_FROM'), 'SMTP_URL and SMTP_FROM go together');
  checkMail(c.SMTP_URL, c.SMTP_FROM, faults);
  checkNats(c.NATS_URL, faults);
  checkRedis(c.REDIS_URL, faults);
  check(
    isGiven('POSTHORN_OIDC_ISSUER') === isGiven('POSTHORN_OIDC_JWKS_URL'),
    'POSTHORN_OIDC_ISSUER and POSTHORN_OIDC_JWKS_URL go together',
  );
  check(
    !isGiven('POSTHORN_OIDC_ISSUER') || isGiven('POSTHORN_OIDC_AUDIENCE'),
    'POSTHORN_OIDC_ISSUER needs POSTHORN_OIDC_AUDIENCE: tokens made out to other services would be good here',
  );
  check(
    c.POSTHORN_DEMO !== true || !(shared || production),
    'POSTHORN_DEMO is for the embedded database outside of production: it cannot be true with DATABASE_URL or in production',
  );
  for (const name of ['DATABASE_LISTEN_URL', 'DATABASE_POOLED', 'READ_DATABASE_URL'] as const) {
    check(shared || !isGiven(name), `${name} goes with DATABASE_URL`);
  }
  check(
    isGiven('READ_DATABASE_URL') || !isGiven('READ_DATABASE_POOLED'),
    'READ_DATABASE_POOLED goes with READ_DATABASE_URL',
  );
  check(
    c.WEBHOOK_DISPATCH !== 'jetstream' || (isGiven('NATS_URL') && shared),
    'WEBHOOK_DISPATCH=jetstream needs NATS_URL and DATABASE_URL: it is for several workers on one database',
  );
  check(
    c.NATS_STREAM === undefined || /^[\w-]{1,64}$/.test(c.NATS_STREAM),
    'NATS_STREAM must be 1 to 64 letters, digits, - and _',
  );
  check(
    shared || !(Number(c.WEB_CONCURRENCY) > 1),
    'WEB_CONCURRENCY of more than 1 needs DATABASE_URL: the embedded database can be open in one process only',
  );
}

/**
 * Parses an environment. Throws ConfigError naming every bad variable and what contradicts each other; a POSTHORN_
 * variable that does not exist is one of them, since a misspelt setting would silently be a default; those that
 * Kubernetes makes of a Service are passed over. Secrets may stand in files (`DATABASE_URL_FILE`), which are read here.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const written = writtenOf(name, setting, env);
    if ('fault' in written || written.raw !== undefined) given.add(name);
    if ('fault' in written) {
      faults.push(written.fault);
      continue;
    }
    const raw = written.raw ?? setting.default;
    const parsed = raw === undefined ? { value: undefined } : parseValue(setting, raw);
    if ('fault' in parsed) faults.push(`${written.from} ${parsed.fault}`);
    else values[name] = parsed.value;
  }
  const known = new Set<string>([...Object.keys(SETTINGS), ...FILE_VARIABLES, ...CLIENT_VARIABLES]);
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('POSTHORN_') || known.has(name) || isOfKubernetes(name, value)) continue;
    const meant = closest(name);
    faults.push(`${name} is not a setting of Posthorn${meant === null ? '' : `; is ${meant} meant?`}`);
  }
  const config = values as Config;
  checkTogether(config, (name) => given.has(name), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}

/** The only reading of the process environment (held by test/architecture.test.ts). */
export const readConfig = (): Config => parseConfig(process.env);
