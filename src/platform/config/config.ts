import { fullFormats } from 'ajv-formats/dist/formats.js';
import { SETTINGS, type Setting, type SettingName } from './settings.ts';

type ValueOf<S extends Setting> = S['kind'] extends 'integer'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'list'
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

const TRUE = new Set(['1', 'true', 'yes', 'on']);
const FALSE = new Set(['0', 'false', 'no', 'off']);

function parseOne(name: string, setting: Setting, raw: string, faults: string[]): unknown {
  const bad = (expected: string): undefined => {
    faults.push(`${name} must be ${expected}, not ${setting.secret ? 'what it is' : JSON.stringify(raw)}`);
    return undefined;
  };
  switch (setting.kind) {
    case 'integer': {
      const n = /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN;
      const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = setting;
      return n >= min && n <= max ? n : bad(`a whole number from ${min} to ${max}`);
    }
    case 'boolean': {
      const word = raw.toLowerCase();
      return TRUE.has(word) ? true : FALSE.has(word) ? false : bad('true or false');
    }
    case 'list':
      return raw
        .split(',')
        .map((s) => s.trim())
        .filter((s) => s !== '');
    case 'url':
      return URL.canParse(raw) ? raw : bad('an absolute URL');
    case 'string':
      return setting.oneOf === undefined || setting.oneOf.includes(raw)
        ? raw
        : bad(`one of ${setting.oneOf.join(', ')}`);
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

/** Rules over more than one setting. */
function checkTogether(c: Config, faults: string[]): void {
  if (c.POSTHORN_MASTER_KEY !== undefined && Buffer.from(c.POSTHORN_MASTER_KEY, 'base64').length !== 32) {
    faults.push('POSTHORN_MASTER_KEY must be 32 bytes in base64 (openssl rand -base64 32)');
  }
  if (c.POSTHORN_MASTER_KEY === undefined && (c.DATABASE_URL !== undefined || c.POSTHORN_ENV === 'production')) {
    faults.push('POSTHORN_MASTER_KEY is needed with DATABASE_URL or in production (openssl rand -base64 32)');
  }
  if ((c.POSTHORN_OPERATOR_EMAIL === undefined) !== (c.POSTHORN_OPERATOR_PASSWORD === undefined)) {
    faults.push('POSTHORN_OPERATOR_EMAIL and POSTHORN_OPERATOR_PASSWORD go together');
  }
  checkOperator(c.POSTHORN_OPERATOR_EMAIL, c.POSTHORN_OPERATOR_PASSWORD, faults);
  if ((c.POSTHORN_OIDC_ISSUER === undefined) !== (c.POSTHORN_OIDC_JWKS_URL === undefined)) {
    faults.push('POSTHORN_OIDC_ISSUER and POSTHORN_OIDC_JWKS_URL go together');
  }
  if (c.POSTHORN_OIDC_ISSUER !== undefined && c.POSTHORN_OIDC_AUDIENCE === undefined) {
    faults.push(
      'POSTHORN_OIDC_ISSUER needs POSTHORN_OIDC_AUDIENCE: tokens made out to other services would be good here',
    );
  }
  if (c.POSTHORN_DEMO === true && (c.DATABASE_URL !== undefined || c.POSTHORN_ENV === 'production')) {
    faults.push(
      'POSTHORN_DEMO is for the embedded database outside of production: it cannot be true with DATABASE_URL or in production',
    );
  }
  if (c.DATABASE_URL !== undefined && !/^postgres(ql)?:/.test(c.DATABASE_URL)) {
    faults.push('DATABASE_URL must begin with postgres://');
  }
}

/**
 * Parses an environment. Throws ConfigError naming every bad variable; a POSTHORN_ variable that does not exist is one
 * of them, since a misspelt setting would silently be a default.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const raw = env[name] === undefined || env[name] === '' ? setting.default : env[name];
    values[name] = raw === undefined ? undefined : parseOne(name, setting, raw, faults);
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('POSTHORN_') && !(name in SETTINGS)) faults.push(`${name} is not a setting of Posthorn`);
  }
  const config = values as Config;
  if (faults.length === 0) checkTogether(config, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}

/** The only reading of the process environment (held by test/architecture.test.ts). */
export const readConfig = (): Config => parseConfig(process.env);
