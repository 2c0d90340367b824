import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

export interface SeenReply {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  body: unknown;
}

const escapePointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Holds replies against an OpenAPI document: what is not declared there is a failure of the test that saw it. */
export class Contract {
  readonly #document: Document;
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  readonly #operations: { method: string; path: string; test: RegExp; operation: Operation }[];
  readonly #validators = new Map<string, ValidateFunction>();

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
  }

  /** Throws AssertionError for a reply that the document does not declare. */
  check({ method, path, status, contentType, body }: SeenReply): void {
    const address = path.split('?', 1)[0] ?? '';
    const found = this.#operations.find((o) => o.method === method && o.test.test(address));
    assert.ok(found, `${method} ${address} is no operation of openapi.json`);
    const { operationId, responses } = found.operation;
    const response = responses[String(status)];
    assert.ok(
      response,
      `${operationId} answered ${status}, which openapi.json does not declare: ${JSON.stringify(body)}`,
    );
    if (!response.content) {
      assert.equal(body, undefined, `${operationId} answered ${status} with a body, and openapi.json declares none`);
      return;
    }
    assert.match(contentType ?? '', /^application\/json/, `${operationId} ${status}`);
    const at = [
      'paths',
      found.path,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ];
    this.#fits(`openapi#/${at.map(escapePointer).join('/')}`, body, `${operationId} ${status}`);
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
