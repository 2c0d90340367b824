import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { ErrorDetail } from '../../contracts/errors.ts';
import { isDateTime } from '../../lib/date-time.ts';
import { isUuid } from '../../lib/ids.ts';
import { nearest } from '../../lib/nearest.ts';
import { wordsOf } from '../../lib/schema-words.ts';

/** ajv-formats, but for two of them: its `uuid` takes `urn:uuid:…`, which PostgreSQL does not, its `date-time` a leap second. */
const addFormats = (ajv: Ajv): Ajv =>
  formats
    .default(ajv)
    .addFormat('uuid', { type: 'string', validate: isUuid })
    .addFormat('date-time', { type: 'string', validate: isDateTime })
    .addKeyword({
      keyword: 'lowerCase',
      schema: false,
      modifying: true,
      validate: (
        value: unknown,
        at?: { parentData: Record<string | number, unknown>; parentDataProperty: string | number },
      ) => {
        if (at && typeof value === 'string') at.parentData[at.parentDataProperty] = value.toLowerCase();
        return true;
      },
    });

/** A copy in which every UUID is brought to lower case as it is validated: as stored and compared, whoever sent it. */
function withLowerCaseIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withLowerCaseIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withLowerCaseIds(value)]));
  return copy['format'] === 'uuid' ? { ...copy, lowerCase: true } : copy;
}
const common = {
  allErrors: true,
  useDefaults: true,
  removeAdditional: false,
  strict: true,
  strictRequired: false,
  // Findings have the value, so that only what is wrong with it is told: see `toldOf`.
  verbose: true,
} as const;

/** JSON bodies are taken as they are: "5" is not 5. */
const strict = addFormats(new Ajv({ ...common, coerceTypes: false, allowUnionTypes: true }));
/** The same, stopping at the first fault: lengths are looked at before items. */
const strictFirst = addFormats(new Ajv({ ...common, coerceTypes: false, allowUnionTypes: true, allErrors: false }));
/** Everything in a URL or header is text: numbers and booleans are read from it, one value becomes a list of one. */
const coercing = addFormats(new Ajv({ ...common, coerceTypes: 'array', allowUnionTypes: true }));

/** Values in a body up to which every fault is looked for; in a larger one, telling all of them takes seconds. */
const MAX_VALUES = 10_000;
/** Findings that are read; several can become one detail. */
const MAX_FINDINGS = 500;

/** Whether a parsed JSON text holds more than `limit` values (scalars, lists and objects). Not recursive. */
function holdsMoreThan(limit: number, json: unknown): boolean {
  const open = [json];
  let seen = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    seen += inner.length;
    if (seen > limit) return true;
    for (const one of inner) open.push(one);
  }
  return false;
}

/** What is wrong with a value, and nothing of the value itself, which may be a password: it goes into `error` of what is thrown. */
type Finding = FastifySchemaValidationError;

/** Holds a value against a schema. What is refused is kept nowhere: the findings are given, not left at the function. */
export type Check = (data: unknown) => true | { error: Finding[] };

/** Of more values than these the one that was probably meant is told, and not all. */
const FEW = 8;
/** No value is longer. Characters. */
const LONGEST_VALUE = 64;

function wordsOfEnum(allowed: readonly unknown[], given: unknown): string {
  const isName = typeof given === 'string' && given.length <= LONGEST_VALUE && allowed.length > FEW;
  const meant = isName ? nearest(given, allowed.map(String)) : null;
  return meant === null ? `must be one of ${allowed.join(', ')}` : `is not known: did you mean ${meant}?`;
}

const toldOf = ({ keyword, instancePath, schemaPath, params, message, data }: ErrorObject): Finding => ({
  keyword,
  instancePath,
  schemaPath,
  params,
  message:
    keyword === 'enum'
      ? wordsOfEnum((params as { allowedValues: readonly unknown[] }).allowedValues, data)
      : (wordsOf(keyword, params, data) ?? message ?? 'does not fit'),
});

/** What Ajv left at a check that has refused, up to so many; it would keep the value until the next one. */
function takeFindings(check: ValidateFunction, most: number): Finding[] {
  const findings = (check.errors ?? []).slice(0, most).map(toldOf);
  check.errors = null;
  return findings;
}

/** The cost of a check, and the findings it gives, are bounded whatever the body holds. */
function bodyValidator(schema: object): Check {
  const every = strict.compile(schema);
  let first: typeof every | undefined;
  return (body) => {
    const check = holdsMoreThan(MAX_VALUES, body) ? (first ??= strictFirst.compile(schema)) : every;
    return check(body) || { error: takeFindings(check, MAX_FINDINGS) };
  };
}

/** Decimal digits without a sign or leading zeros. Ajv reads what JavaScript does: `0x10`, `1e1`, ` 1`. */
function isPlainInteger(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return false;
  }
  return text.length === 1 || (text.length > 1 && text.charCodeAt(0) !== 48);
}

const wrongType = (name: string, message: string): Finding => ({
  keyword: 'type',
  instancePath: `/${name}`,
  schemaPath: `#/properties/${name}/type`,
  params: {},
  message,
});
const notPlain = (name: string): Finding => wrongType(name, 'must be an integer in decimal digits');

interface ParameterSchema {
  type?: unknown;
  anyOf?: readonly ParameterSchema[];
}

const takesList = ({ type, anyOf = [] }: ParameterSchema): boolean => type === 'array' || anyOf.some(takesList);

/** Parameters of an address: those that are integers are looked at before Ajv makes numbers of them. */
function parameterValidator(schema: object): Check {
  const validate = coercing.compile(schema);
  const { properties = {} } = schema as { properties?: Record<string, ParameterSchema> };
  const single = Object.keys(properties).filter((name) => !takesList(properties[name] ?? {}));
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  return (data) => {
    const given = data as Record<string, unknown>;
    let wrong: string[] | undefined;
    for (const name of integers) {
      const value = given[name];
      if (typeof value === 'string' && !isPlainInteger(value)) (wrong ??= []).push(name);
    }
    const found = validate(data) ? [] : takeFindings(validate, Number.POSITIVE_INFINITY);
    if (wrong === undefined && found.length === 0) return true;
    // Of what takes one value and is there twice, Ajv says only that a list is none of those that it takes.
    const twice = single.filter((name) => Array.isArray(given[name]));
    const told = [...twice.map((name) => wrongType(name, 'is given more than once')), ...(wrong?.map(notPlain) ?? [])];
    return { error: [...told, ...found.filter((e) => !told.some((t) => t.instancePath === e.instancePath))] };
  };
}

/**
 * The check of a schema, compiled by the first value: a process meets few of all the schemas, and compiling every one of
 * them took a quarter of a second of each start. What Ajv refuses is thrown there; test/operations meets each of them.
 */
export const validatorCompiler = ({
  schema,
  httpPart,
}: Pick<Parameters<FastifySchemaCompiler<object>>[0], 'schema' | 'httpPart'>): Check => {
  let compiled: Check | undefined;
  return (data) => {
    if (!compiled) {
      const ours = withLowerCaseIds(schema) as object;
      compiled = httpPart === 'body' ? bodyValidator(ours) : parameterValidator(ours);
    }
    return compiled(data);
  };
};

const PARTS: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header', body: 'body' };

function pathOf(e: Finding, part: string): string {
  const at = e.instancePath
    .split('/')
    .slice(1)
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = e.params as Record<string, string | undefined>;
  const leaf = missingProperty ?? additionalProperty;
  return [part, ...at, ...(leaf === undefined ? [] : [leaf])].join('.');
}

function say(e: Finding): string {
  if (e.keyword === 'required') return 'is required';
  if (e.keyword === 'additionalProperties') return 'is not a field of this operation';
  return e.message ?? 'does not fit';
}

/** The branch of a union that a finding is about; empty outside of unions. */
const branchOf = ({ schemaPath }: Finding): string => /^.*\/anyOf\/\d+/.exec(schemaPath)?.[0] ?? '';

/** A field that another form of the same body would have: told of the first form only, which is the usual one. */
const isOfAnotherForm = ({ keyword, schemaPath }: Finding): boolean =>
  keyword === 'required' && /^#\/anyOf\/[1-9]/.test(schemaPath);

/** Findings as `details` of the envelope; the branches of a union are told once, as the list of what is allowed. */
export function detailsOf(errors: readonly Finding[], context: string | undefined): ErrorDetail[] {
  const part = PARTS[context ?? 'body'] ?? 'body';
  const byPath = new Map<string, Map<string, string[]>>();
  const add = (path: string, branch: string, message: string): void => {
    const branches = byPath.get(path) ?? new Map<string, string[]>();
    byPath.set(path, branches);
    if ([...branches.values()].some((said) => said.includes(message))) return;
    branches.set(branch, [...(branches.get(branch) ?? []), message]);
  };
  const constants = new Map<string, string[]>();
  for (const e of errors) {
    if ((e.keyword === 'anyOf' && errors.length > 1) || isOfAnotherForm(e)) continue;
    const path = pathOf(e, part);
    if (e.keyword === 'const') {
      const { allowedValue } = e.params as { allowedValue?: unknown };
      constants.set(path, [...(constants.get(path) ?? []), String(allowedValue)]);
    } else add(path, branchOf(e), say(e));
  }
  for (const [path, values] of constants)
    add(path, 'const', `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`);
  return [...byPath].map(([path, branches]) => ({
    path,
    message: [...branches.values()].map((said) => said.join(', and ')).join(', or '),
  }));
}
