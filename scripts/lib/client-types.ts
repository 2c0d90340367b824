import { ERRORS } from '../../src/contracts/errors.ts';
import { commentOf, membersOf, quoted, type Schema, shapeName, typeOf } from './schema-types.ts';

interface Parameter {
  $ref?: string;
  in?: 'path' | 'query' | 'header';
  name?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Content {
  content?: Readonly<Record<string, { schema: Schema }>>;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters?: readonly Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Readonly<Record<string, Content>>;
}

export interface OpenApi {
  components: { schemas: Readonly<Record<string, Schema>> };
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks: Readonly<Record<string, { post: { summary: string; requestBody: Required<Content> } }>>;
}

/** How the items of a list are walked through. */
type Paging = 'page' | 'cursor' | null;

const jsonOf = ({ content }: Content): Schema | undefined => content?.['application/json']?.schema;

/**
 * Shapes of a few words that replies give as any text, since a newer service may have more of them. What a reply gave can be handed on: an
 * input takes any text, too, and an editor still offers the words.
 */
const OPEN: readonly string[] = ['DeliveryErrorClass', 'DeadLetterErrorClass'];
const opened = (type: string): string =>
  OPEN.reduce((text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `${name} | (string & {})`), type);
const parameterType = (schema: Schema): Schema =>
  schema.title !== undefined && OPEN.includes(schema.title) ? { $ref: `#/components/schemas/${schema.title}` } : schema;

/** Path and query parameters with `body`, as the one argument that a method takes. */
function inputOf({ parameters = [], requestBody }: Operation): string {
  const named = parameters.filter((p) => p.in === 'path' || p.in === 'query');
  const properties: Record<string, Schema> = {};
  for (const { name = '', schema = {}, description } of named) {
    // One value may be given as it is.
    const type = schema.type === 'array' && schema.items ? { anyOf: [schema, schema.items] } : parameterType(schema);
    properties[name] = description === undefined ? type : { ...type, description };
  }
  const required = named.filter((p) => p.required).map((p) => p.name ?? '');
  const isConditional = parameters.some((p) => p.$ref?.endsWith('/If-Match'));
  if (isConditional)
    properties.ifMatch = {
      type: 'integer',
      description: 'Only when this is still the version: else PRECONDITION_FAILED.',
    };
  if (parameters.some((p) => p.$ref?.includes('/X-Service-Signature'))) {
    properties.signingSecret = { type: 'string', description: 'Of the account: the body is signed with it.' };
    required.push('signingSecret');
  }
  const body = requestBody && jsonOf(requestBody);
  if (body) {
    properties.body = body;
    if (requestBody.required) required.push('body');
  }
  return Object.keys(properties).length === 0
    ? 'Record<string, never>'
    : `{\n${opened(membersOf({ properties, required }))}}`;
}

const successes = ({ responses }: Operation): Content[] =>
  Object.entries(responses).flatMap(([status, reply]) => (status.startsWith('2') ? [reply] : []));

const isStream = (operation: Operation): boolean =>
  successes(operation).some((reply) => reply.content?.['application/x-ndjson'] !== undefined);

function replyOf(operation: Operation): string {
  if (isStream(operation)) return 'ReadableStream<Uint8Array>';
  const types = successes(operation).map((reply) => {
    const schema = jsonOf(reply);
    return schema ? typeOf(schema) : 'undefined';
  });
  return [...new Set(types)].join(' | ');
}

function pagingOf(operation: Operation): { paging: Paging; item: string | null } {
  const [reply = {}] = successes(operation);
  const { properties = {} } = jsonOf(reply) ?? {};
  const parameters = new Set(operation.parameters?.map((p) => p.name));
  const items = properties.data?.items;
  if (!items) return { paging: null, item: null };
  if (properties.nextCursor && parameters.has('cursor')) return { paging: 'cursor', item: typeOf(items) };
  if (properties.pages && parameters.has('page')) return { paging: 'page', item: typeOf(items) };
  return { paging: null, item: null };
}

const typeName = (event: string): string =>
  `${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Webhook`;

function declaration(name: string, schema: Schema): string {
  const comment = commentOf(schema.description);
  return schema.type === 'object' && schema.properties
    ? `${comment}export interface ${name} {\n${membersOf(schema)}}\n`
    : `${comment}export type ${name} = ${typeOf(schema)};\n`;
}

/** Open shapes that only parameters have, which OpenAPI tells where they are and not by their name. */
function shapesOfParameters(operations: readonly Operation[], { components }: OpenApi): [name: string, Schema][] {
  const schemas = operations.flatMap(({ parameters = [] }) => parameters.flatMap(({ schema }) => schema ?? []));
  return OPEN.filter((name) => !(name in components.schemas)).flatMap((name) => {
    const schema = schemas.find(({ title }) => title === name);
    return schema ? [[name, schema]] : [];
  });
}

/** `client/src/generated.ts`: every shape, operation and webhook of the API as TypeScript, and where each operation is. */
export function clientTypes(api: OpenApi): string {
  const operations = Object.entries(api.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    );
  const types = operations.map(({ operation }) => {
    const { item } = pagingOf(operation);
    return `${commentOf(operation.summary)}${operation.operationId}: {\ninput: ${inputOf(operation)};\nreply: ${replyOf(operation)};\n${item === null ? '' : `item: ${item};\n`}};\n`;
  });
  const table = operations.map(({ path, method, operation }) => {
    const { paging } = pagingOf(operation);
    const kind = isStream(operation) ? 'stream' : paging;
    return `${operation.operationId}: [${quoted(method)}, ${quoted(path)}${kind === null ? '' : `, ${quoted(kind)}`}],\n`;
  });
  const webhooks = Object.entries(api.webhooks).map(
    ([event, { post }]) => [typeName(event), jsonOf(post.requestBody) ?? {}, post.summary] as const,
  );
  const shapes = [
    ...Object.entries(api.components.schemas),
    ...shapesOfParameters(
      operations.map(({ operation }) => operation),
      api,
    ),
  ];
  return [
    '// Made from openapi.json by `npm run openapi`.\n\n',
    `/** What an error of the service is called. */\nexport type ErrorCode = ${Object.keys(ERRORS).map(quoted).join(' | ')};\n\n`,
    ...shapes.map(([name, schema]) => `${declaration(shapeName(name), schema)}\n`),
    ...webhooks.map(([name, schema]) => `${declaration(name, schema)}\n`),
    `/** The body of any webhook; \`event\` tells which. */\nexport type WebhookEvent = ${webhooks.map(([name]) => name).join(' | ')};\n\n`,
    `/** What each operation takes and gives. */\nexport interface Operations {\n${types.join('')}}\n\n`,
    `/** Method and path of each operation, and how its items are walked through. */\nexport const OPERATIONS = {\n${table.join('')}} as const;\n`,
  ].join('');
}
