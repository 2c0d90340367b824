import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { ErrorDetail } from '../../contracts/errors.ts';
import { DATE_TIME_RULE, isDateTime } from '../../lib/date-time.ts';
import { isUuid } from '../../lib/ids.ts';

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
  verbose: false,
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

type Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] };

/** The cost of a check, and the findings it gives, are bounded whatever the body holds. */
function bodyValidator(schema: object): Validator {
  const every = strict.compile(schema);
  let first: typeof every | undefined;
  const validate: Validator = (body) => {
    const check = holdsMoreThan(MAX_VALUES, body) ? (first ??= strictFirst.compile(schema)) : every;
    if (check(body)) return true;
    validate.errors = (check.errors ?? []).slice(0, MAX_FINDINGS);
    check.errors = null;
    return false;
  };
  return validate;
}

/** Decimal digits without a sign or leading zeros. Ajv reads what JavaScript does: `0x10`, `1e1`, ` 1`. */
function isPlainInteger(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return false;
  }
  return text.length === 1 || (text.length > 1 && text.charCodeAt(0) !== 48);
}

const notPlain = (name: string): ErrorObject => ({
  keyword: 'type',
  instancePath: `/${name}`,
  schemaPath: `#/properties/${name}/type`,
  params: { type: 'integer' },
  message: 'must be an integer in decimal digits',
});

/** Parameters of an address: those that are integers are looked at before Ajv makes numbers of them. */
function parameterValidator(schema: object): Validator | ValidateFunction {
  const validate = coercing.compile(schema);
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  if (integers.length === 0) return validate;
  const checked: Validator = (data) => {
    const given = data as Record<string, unknown>;
    let wrong: string[] | undefined;
    for (const name of integers) {
      const value = given[name];
      if (typeof value === 'string' && !isPlainInteger(value)) (wrong ??= []).push(name);
    }
    const fits = validate(data);
    if (wrong === undefined && fits) return true;
    const told = wrong?.map(notPlain) ?? [];
    const others = (fits ? [] : (validate.errors ?? [])).filter(
      (e) => !told.some((t) => t.instancePath === e.instancePath),
    );
    checked.errors = [...told, ...others];
    return false;
  };
  return checked;
}

/**
 * The check of a schema, compiled by the first value: a process meets few of all the schemas, and compiling every one of
 * them took a quarter of a second of each start. What Ajv refuses is thrown there; test/operations meets each of them.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let compiled: Validator | ValidateFunction | undefined;
  const validate: Validator = (data) => {
    if (!compiled) {
      const ours = withLowerCaseIds(schema) as object;
      compiled = httpPart === 'body' ? bodyValidator(ours) : parameterValidator(ours);
    }
    if (compiled(data)) return true;
    validate.errors = compiled.errors ?? [];
    return false;
  };
  return validate;
};

const PARTS: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header', body: 'body' };

function pathOf(e: ErrorObject | FastifySchemaValidationError, part: string): string {
  const at = e.instancePath
    .split('/')
    .slice(1)
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = e.params as Record<string, string | undefined>;
  const leaf = missingProperty ?? additionalProperty;
  return [part, ...at, ...(leaf === undefined ? [] : [leaf])].join('.');
}

function say(e: ErrorObject | FastifySchemaValidationError): string {
  if (e.keyword === 'required') return 'is required';
  if (e.keyword === 'additionalProperties') return 'is not a field of this operation';
  const allowed = (e.params as { allowedValues?: readonly unknown[] }).allowedValues;
  if (e.keyword === 'enum' && allowed) return `must be one of ${allowed.join(', ')}`;
  if (e.keyword === 'oneOf') return 'must have only one of its forms';
  if ((e.params as { format?: unknown }).format === 'date-time') return DATE_TIME_RULE;
  return e.message ?? 'does not fit';
}

/** What one of the other forms lacks that a value may have besides the usual one, which comes first. */
const isOfOtherForm = ({ schemaPath }: { schemaPath: string }): boolean => /\/oneOf\/[1-9]/.test(schemaPath);

/**
 * Ajv's findings as `details` of the envelope; the branches of a union are told once, as the list of what is allowed. What has none
 * of its forms is told what it lacks of the first.
 */
export function detailsOf(
  errors: readonly (ErrorObject | FastifySchemaValidationError)[],
  context: string | undefined,
): ErrorDetail[] {
  const part = PARTS[context ?? 'body'] ?? 'body';
  const byPath = new Map<string, string[]>();
  const constants = new Map<string, string[]>();
  for (const e of errors) {
    if (errors.length > 1 && (e.keyword === 'anyOf' || e.keyword === 'oneOf' || isOfOtherForm(e))) continue;
    const path = pathOf(e, part);
    if (e.keyword === 'const') {
      const { allowedValue } = e.params as { allowedValue?: unknown };
      constants.set(path, [...(constants.get(path) ?? []), String(allowedValue)]);
      continue;
    }
    const said = byPath.get(path) ?? [];
    const message = say(e);
    if (!said.includes(message)) said.push(message);
    byPath.set(path, said);
  }
  for (const [path, values] of constants) {
    byPath.set(path, [
      ...(byPath.get(path) ?? []),
      `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`,
    ]);
  }
  return [...byPath].map(([path, said]) => ({ path, message: said.join(', or ') }));
}
