import assert from 'node:assert/strict';
import type { Envelope, TestReply, TestService } from '../helpers/service.ts';
import { signatureOf } from '../helpers/trading.ts';
import type { RoleRequest } from './operations.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the tests of operations read of a JSON schema. */
export interface Schema {
  type?: string;
  $ref?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}
interface Described {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { description: string } | { $ref: string }>;
}
interface Document {
  paths: Record<string, Record<string, Described>>;
}

/** An operation as openapi.json declares it. */
export interface Operation {
  method: Method;
  path: string;
  /** `200`, `304`, `409 SLUG_TAKEN`: each success by its status, each failure with its code. */
  outcomes: readonly string[];
  query: readonly Parameter[];
  body: Schema | undefined;
}

/** Every operation of the service's openapi.json by its id. */
export class Declared {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly #document: Document;

  constructor(service: TestService) {
    this.#document = service.service.http.openapi() as unknown as Document;
    this.operations = new Map(
      Object.entries(this.#document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, described]): [string, Operation] => [
          described.operationId,
          {
            method: method.toUpperCase() as Method,
            path,
            outcomes: this.#outcomesOf(described),
            query: (described.parameters ?? []).map((p) => this.resolve(p)).filter((p) => p.in === 'query'),
            body: described.requestBody && this.resolve(described.requestBody.content['application/json'].schema),
          },
        ]),
      ),
    );
  }

  /** What a `$ref` leads to; anything else as it is. */
  resolve<T extends object>(value: T | { $ref: string }): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], this.#document);
    return this.resolve(found as T);
  }

  get(operationId: string): Operation {
    return this.operations.get(operationId) ?? assert.fail(`${operationId} is no operation of openapi.json`);
  }

  #outcomesOf({ responses }: Described): string[] {
    return Object.entries(responses).flatMap(([status, response]) => {
      const { description } = this.resolve<{ description: string }>(response);
      // The descriptions of failures are their codes (contract section 1: "Errors").
      const codes = description.split(', ').filter((word) => /^[A-Z_]+$/.test(word));
      return codes.length === 0 ? [status] : codes.map((code) => `${status} ${code}`);
    });
  }
}

/** What is sent besides what the request says. */
export interface SendOptions {
  token?: string | undefined;
  headers?: Record<string, string>;
  /** Added to the query. */
  query?: string;
  /** Instead of the body: these very characters. */
  text?: string;
}

/** Calls an operation; the reply is held against openapi.json. */
export function callOperation(
  service: TestService,
  { method, path }: Operation,
  request: RoleRequest,
  options: SendOptions = {},
): Promise<TestReply<Envelope>> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.params?.[name] ?? assert.fail(name));
  const query = [request.query, options.query].filter((part) => part !== undefined).join('&');
  const token = request.token ?? options.token;
  const body = options.text ?? (request.sign === undefined ? request.body : JSON.stringify(request.body));
  const now = service.service.opened.platform.clock.now();
  const signed =
    request.sign === undefined ? {} : { 'x-service-signature': signatureOf(request.sign, body as string, now) };
  return service.call<Envelope>(method, filled + (query === '' ? '' : `?${query}`), {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    headers: { ...signed, ...options.headers },
  });
}

/** In the form of `Operation.outcomes`. */
export const outcomeOf = ({ status, body }: TestReply<Envelope>): string =>
  status >= 400 || status === 301 ? `${status} ${body.error.code}` : String(status);
