/** The part of JSON Schema that this service's API is described with. */
export interface Schema {
  $ref?: string;
  title?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const literal = (value: unknown): string => (typeof value === 'string' ? quoted(value) : JSON.stringify(value));

/** A TypeScript string literal. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** A comment of one line, or nothing. */
export const commentOf = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;

/** Fields of an object as the members of an interface, each with its description. */
export function membersOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${commentOf(schema.description)}${keyOf(name)}${mark}: ${typeOf(schema)};\n`;
    })
    .join('');
}

function objectOf(schema: Schema): string {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) return `{\n${membersOf(schema)}}`;
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`;
  return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}

/** Shapes whose names mean something else in TypeScript. */
const RENAMED: Readonly<Record<string, string>> = { Error: 'ErrorEnvelope', Event: 'AuditEvent' };

/** What a named shape of the API is called in TypeScript. */
export const shapeName = (name: string): string => RENAMED[name] ?? name;

/** A schema as a TypeScript type. Throws on what it does not know: a type that says too little is found by nobody. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return shapeName(schema.$ref.replace('#/components/schemas/', ''));
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  // With fields of its own, the alternatives say which of them are needed.
  const { anyOf, ...own } = schema;
  if (anyOf) return [...new Set(anyOf.map((one) => typeOf({ ...own, ...one })))].join(' | ');
  if (schema.type === 'array') return `Array<${schema.items ? typeOf(schema.items) : 'unknown'}>`;
  if (schema.type === 'object') return objectOf(schema);
  if (schema.type === undefined && Object.keys(schema).every((key) => key === 'description')) return 'unknown';
  const simple = SIMPLE[schema.type ?? ''];
  if (simple === undefined) throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`);
  return simple;
}
