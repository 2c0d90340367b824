/**
 * What @fastify/swagger makes of the routes says of inputs what holds after Ajv has filled in defaults. A client reads
 * it the other way round, so an input with a default is optional here.
 */
interface Schema {
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface RequestBody {
  content: Record<string, { schema: Schema }>;
  required?: boolean;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: RequestBody;
}

/** `required` without what has a default, at every depth. */
function asInput(schema: Schema): Schema {
  const { properties, required, items, anyOf, ...rest } = schema;
  const needed = required?.filter((name) => properties?.[name]?.default === undefined) ?? [];
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, asInput) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: asInput(items) }),
    ...(anyOf && { anyOf: anyOf.map(asInput) }),
  };
}

const mapValues = <T, U>(object: Readonly<Record<string, T>>, fn: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fn(value)]));

/** Header names are matched in lower case inside, and written as interface.md writes them outside. */
const properName = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());

function parameterOf(parameter: Parameter): Parameter {
  const name = parameter.in === 'header' ? properName(parameter.name) : parameter.name;
  return { ...parameter, name, ...(parameter.schema?.default === undefined ? {} : { required: false }) };
}

/** A body of which nothing is required may be left out whole (register-routes.ts takes `{}` for it). */
function bodyOf(body: RequestBody): RequestBody {
  const content = mapValues(body.content, ({ schema }) => ({ schema: asInput(schema) }));
  const needed = Object.values(content).some(
    ({ schema }) => (schema.required ?? []).length > 0 || !isPlainObject(schema),
  );
  return { ...body, content, required: needed };
}

/** No alternatives and no least number of fields, so `{}` fits. */
const isPlainObject = (schema: object): boolean =>
  !('oneOf' in schema) && !('minProperties' in schema) && !('anyOf' in schema);

const operationOf = (operation: Operation): Operation => ({
  ...operation,
  ...(operation.parameters && { parameters: operation.parameters.map(parameterOf) }),
  ...(operation.requestBody && { requestBody: bodyOf(operation.requestBody) }),
});

/** The whole document: operations as callers see them, and the outbound events under `webhooks`. */
export function finishDocument(document: object, webhooks: Record<string, unknown>): Record<string, unknown> {
  const { paths, ...rest } = document as { paths: Record<string, Record<string, Operation>> };
  return { ...rest, paths: mapValues(paths, (methods) => mapValues(methods, operationOf)), webhooks };
}
