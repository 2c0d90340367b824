import { type Components, noComponents, share, shareTitled } from './openapi-components.ts';
import {
  REQUEST_HEADERS,
  type RequestHeader,
  requestHeadersOf,
  RESPONSE_HEADERS,
  type ResponseHeader,
  responseHeadersOf,
} from './openapi-headers.ts';
import type { AnyRoute } from './route.ts';

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

interface Response {
  description: string;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Response>;
}

type Paths = Record<string, Record<string, Operation>>;

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

const parameterOf = (parameter: Parameter): Parameter => ({
  ...parameter,
  ...(parameter.schema?.default === undefined ? {} : { required: false }),
});

/** A body of which nothing is required may be left out whole (register-routes.ts takes `{}` for it). */
function bodyOf(body: RequestBody): RequestBody {
  const content = mapValues(body.content, ({ schema, ...rest }) => ({ ...rest, schema: asInput(schema) }));
  const needed = Object.values(content).some(
    ({ schema }) => (schema.required ?? []).length > 0 || !isPlainObject(schema),
  );
  return { ...body, content, required: needed };
}

/** No alternatives and no least number of fields, so `{}` fits. */
const isPlainObject = (schema: object): boolean =>
  !('oneOf' in schema) && !('minProperties' in schema) && !('anyOf' in schema);

type Content = Record<string, { schema: Schema }>;

const contentOf = (components: Components, content: Content): object =>
  mapValues(content, ({ schema, ...rest }) => ({ ...rest, schema: shareTitled(components, schema) }));

const headerParameter = (components: Components, name: RequestHeader): object =>
  // Webhooks that the service sends always have the signature: that is another component.
  share(components, 'parameters', name === 'X-Service-Signature' ? `${name}.inbound` : name, {
    name,
    in: 'header',
    required: false,
    ...REQUEST_HEADERS[name],
  });

/** A header field that is not on every such reply is another component: beside `$ref` nothing can be said. */
function headerRef(components: Components, name: ResponseHeader, required: boolean): object {
  return share(components, 'headers', required ? name : `${name}.optional`, { ...RESPONSE_HEADERS[name], required });
}

/** A reply with its header fields. Failures are shared: they have one form, and are named by their codes. */
function responseOf(components: Components, route: AnyRoute, status: string, response: Response): object {
  const fields = responseHeadersOf(route, Number(status));
  const made = {
    ...response,
    headers: Object.fromEntries([...fields].map(([name, required]) => [name, headerRef(components, name, required)])),
    ...(response.content && { content: contentOf(components, response.content) }),
  };
  if (status in route.schemas.replies) return made;
  const name = response.description.replaceAll(', ', '.');
  return share(components, 'responses', fields.has('Idempotency-Replayed') ? `${name}.stored` : name, made);
}

function operationOf(components: Components, route: AnyRoute, operation: Operation): object {
  const { parameters = [], requestBody, responses } = operation;
  const body = requestBody && bodyOf(requestBody);
  return {
    ...operation,
    parameters: [
      ...parameters.map(parameterOf),
      ...requestHeadersOf(route).map((name) => headerParameter(components, name)),
    ],
    ...(body && { requestBody: { ...body, content: contentOf(components, body.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, responseOf(components, route, status, response)]),
    ),
  };
}

/** What we send: the same header fields with every event. */
const webhookOf = (components: Components, { post }: { post: Operation }): object => ({
  post: {
    ...post,
    parameters: (post.parameters ?? []).map((p) => share(components, 'parameters', p.name, p)),
  },
});

/**
 * The whole document: operations as callers see them with the header fields of their routes, the outbound events under
 * `webhooks`, and what is told more than once under `components`.
 */
export function finishDocument(
  document: object,
  webhooks: Record<string, unknown>,
  routes: readonly AnyRoute[],
): Record<string, unknown> {
  const { paths, components, ...rest } = document as { paths: Paths; components: { schemas?: Components['schemas'] } };
  const byId = new Map(routes.map((route) => [route.operationId, route]));
  const shared = noComponents();
  Object.assign(shared.schemas, components.schemas);
  return {
    ...rest,
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) =>
        operationOf(shared, byId.get(operation.operationId ?? '') as AnyRoute, operation),
      ),
    ),
    webhooks: mapValues(webhooks as Record<string, { post: Operation }>, (one) => webhookOf(shared, one)),
    components: { ...components, ...shared },
  };
}
