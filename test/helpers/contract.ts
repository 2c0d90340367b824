import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Header {
  required?: boolean;
}
interface Response {
  content?: Record<string, unknown>;
  headers?: Record<string, Header | Ref>;
}
interface Ref {
  $ref: string;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response | Ref>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

export interface SeenReply {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

const escapePointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

const linesOf = (body: unknown): unknown[] =>
  (typeof body === 'string' ? body : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

/** Holds replies against an OpenAPI document: what is not declared there is a failure of the test that saw it. */
export class Contract {
  readonly #document: Document;
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  readonly #operations: { method: string; path: string; test: RegExp; operation: Operation }[];
  readonly #validators = new Map<string, ValidateFunction>();
  /** Names of header fields that some reply declares: one that carries them has to declare them too. */
  readonly #known: Set<string>;

  constructor(document: object) {
    this.#document = document as Document;
    this.#ajv.addSchema(document, 'openapi');
    this.#operations = Object.entries(this.#document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          test: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
          operation,
        })),
      )
      // A fixed part is preferred to a parameter, as the router does.
      .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
    const responses = this.#operations.flatMap(({ operation }) => Object.values(operation.responses));
    this.#known = new Set(responses.flatMap((r) => Object.keys(this.#resolve(r).headers ?? {})));
  }

  /** Throws AssertionError for a reply that the document does not declare. */
  check({ method, path, status, headers, body }: SeenReply): void {
    const address = path.split('?', 1)[0] ?? '';
    const found = this.#operations.find((o) => o.method === method && o.test.test(address));
    assert.ok(found, `${method} ${address} is no operation of openapi.json`);
    const { operationId, responses } = found.operation;
    const declared = responses[String(status)];
    assert.ok(
      declared,
      `${operationId} answered ${status}, which openapi.json does not declare: ${JSON.stringify(body)}`,
    );
    const response = this.#resolve(declared);
    this.#checkHeaders(response, headers, `${operationId} ${status}`);
    if (!response.content) {
      assert.equal(body, undefined, `${operationId} answered ${status} with a body, and openapi.json declares none`);
      return;
    }
    const type = Object.keys(response.content)[0] ?? '';
    assert.ok(headers.get('content-type')?.startsWith(type), `${operationId} ${status} is no ${type}`);
    const at =
      '$ref' in declared
        ? declared.$ref.slice(2).split('/')
        : ['paths', found.path, method.toLowerCase(), 'responses', String(status)];
    const pointer = [...at, 'content', type, 'schema'].map(escapePointer).join('/');
    // A document of JSON, or one in each line.
    const documents = type === 'application/json' ? [body] : linesOf(body);
    for (const document of documents) this.#fits(`openapi#/${pointer}`, document, `${operationId} ${status}`);
  }

  /** What is declared as always there has to be there, and what is there has to be declared. */
  #checkHeaders(response: Response, headers: Headers, what: string): void {
    const declared = new Map(
      Object.entries(response.headers ?? {}).map(([name, header]) => [name, this.#resolve(header).required === true]),
    );
    for (const [name, required] of declared)
      assert.ok(!required || headers.has(name), `${what} has no ${name}, which openapi.json declares`);
    for (const name of this.#known)
      assert.ok(declared.has(name) || !headers.has(name), `${what} has ${name}, which openapi.json does not declare`);
  }

  #resolve<T extends object>(value: T | Ref): T {
    if (!('$ref' in value)) return value;
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], this.#document);
    assert.ok(found, `${value.$ref} leads nowhere in openapi.json`);
    return found as T;
  }

  /** Throws AssertionError for what is not the envelope of a failure (interface.md §7). */
  checkEnvelope(body: unknown, what: string): void {
    this.#fits('openapi#/components/schemas/Error', body, what);
  }

  #fits(ref: string, body: unknown, what: string): void {
    const validate = this.#validators.get(ref) ?? this.#ajv.compile({ $ref: ref });
    this.#validators.set(ref, validate);
    assert.ok(
      validate(body),
      `${what} does not fit openapi.json: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)?.slice(0, 2000)}`,
    );
  }
}

let ours: Contract | undefined;

/**
 * openapi.json of the repository, which test/documents.test.ts holds equal to what the service gives. One for all the files of a
 * process: to compile its schemas takes longer than most requests.
 */
export const theContract = (): Contract =>
  (ours ??= new Contract(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as object));
