import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { ErrorDetail } from '../../contracts/errors.ts';
import { isDateTime } from '../../lib/date-time.ts';
import { isUuid } from '../../lib/ids.ts';

/** ajv-formats, but for two of them: its `uuid` takes `urn:uuid:…`, which PostgreSQL does not, its `date-time` a leap second. */
const addFormats = (ajv: Ajv): Ajv =>
  formats
    .default(ajv)
    .addFormat('uuid', { type: 'string', validate: isUuid })
    .addFormat('date-time', { type: 'string', validate: isDateTime });
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
/** Everything in a URL or header is text: numbers and booleans are read from it, one value becomes a list of one. */
const coercing = addFormats(new Ajv({ ...common, coerceTypes: 'array', allowUnionTypes: true }));

/** Put into schemas below, not written by hand. */
const LOWER_CASE = 'posthornLowerCase';
for (const ajv of [strict, coercing]) {
  ajv.addKeyword({
    keyword: LOWER_CASE,
    type: 'string',
    modifying: true,
    errors: false,
    validate(_on: unknown, text: string, _schema: unknown, at?: { parentData: unknown; parentDataProperty: unknown }) {
      const { parentData, parentDataProperty } = at ?? {};
      if (parentData) (parentData as Record<string, unknown>)[String(parentDataProperty)] = text.toLowerCase();
      return true;
    },
  });
}

/** Whoever compares an id gets it as the database writes it: RFC 9562 takes upper case on input, `===` does not. */
function withLowerCaseIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withLowerCaseIds);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withLowerCaseIds(value)]));
  return copy['type'] === 'string' && copy['format'] === 'uuid' ? { ...copy, [LOWER_CASE]: true } : copy;
}

/** Checks a part of a request; the ids in it are in lower case afterwards. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? strict : coercing).compile(withLowerCaseIds(schema) as object);

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
  return e.message ?? 'does not fit';
}

/** Ajv's findings as `details` of the envelope; the branches of a union are told once, as the list of what is allowed. */
export function detailsOf(
  errors: readonly (ErrorObject | FastifySchemaValidationError)[],
  context: string | undefined,
): ErrorDetail[] {
  const part = PARTS[context ?? 'body'] ?? 'body';
  const byPath = new Map<string, string[]>();
  const constants = new Map<string, string[]>();
  for (const e of errors) {
    if (e.keyword === 'anyOf' && errors.length > 1) continue;
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
