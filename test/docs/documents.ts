import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseAllDocuments } from 'yaml';
import { EVENTS, isInternalEvent, validateEventData } from '../../src/contracts/events/index.ts';
import { openapi, OPERATIONS } from './known-names.ts';
import type { Block } from './page.ts';

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(openapi, 'openapi');

const pointer = (parts: readonly string[]): string =>
  parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

interface Referring {
  $ref?: string;
}

/** Where the schema is: a part of a path may be a reference. */
function schemaAt(parts: readonly string[]): string {
  let at: readonly string[] = [];
  let value: unknown = openapi;
  for (const part of parts) {
    const { $ref } = value as Referring;
    if ($ref !== undefined) {
      at = $ref.slice(2).split('/');
      value = at.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], openapi);
    }
    at = [...at, part];
    value = (value as Record<string, unknown> | undefined)?.[part];
    if (value === undefined) throw new Error(`openapi.json has no ${parts.join(' ')}`);
  }
  return `openapi#/${pointer(at)}`;
}

function schemaOf({ attributes }: Block, value: unknown): string {
  const content = ['content', 'application/json', 'schema'];
  const [operationId, status = '200'] = (attributes['reply'] ?? attributes['request'] ?? '').split(' ');
  const operation = OPERATIONS.find((one) => one.operationId === operationId);
  if (operation) {
    const at = ['paths', operation.path, operation.method.toLowerCase()];
    if (attributes['reply'] !== undefined) return schemaAt([...at, 'responses', status, ...content]);
    return schemaAt([...at, 'requestBody', ...content]);
  }
  const { event, error } = value as { event?: string; error?: object };
  if (error) return 'openapi#/components/schemas/Error';
  if (event !== undefined && event in openapi.webhooks)
    return schemaAt(['webhooks', event, 'post', 'requestBody', ...content]);
  throw new Error('nobody says what it is: reply="operationId status" or request=operationId');
}

/** An event that causes no webhook is shown by its data. */
function isInternalOnly(value: unknown): boolean {
  const { event, timestamp: _timestamp, ...data } = value as { event?: string; timestamp?: string };
  if (event === undefined || event in openapi.webhooks || !isInternalEvent(event)) return false;
  const faults = validateEventData(event, data);
  if (faults.length > 0)
    throw new Error(`${event}: ${JSON.stringify(faults)}; ${Object.keys(EVENTS).length} are known`);
  return true;
}

/** Throws for JSON that cannot be parsed or is not what the page says it is. */
export function checkJson(block: Block): void {
  const value: unknown = JSON.parse(block.text);
  if (isInternalOnly(value)) return;
  const name = schemaOf(block, value);
  const validate = ajv.getSchema(name);
  if (!validate) throw new Error(`${name} cannot be found`);
  if (!validate(value)) throw new Error(ajv.errorsText(validate.errors));
}

/** Throws for YAML that cannot be parsed. */
export function checkYaml({ text }: Block): void {
  for (const document of parseAllDocuments(text)) {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw fault;
  }
}

/** Throws where a configuration of nginx has a brace too many or a line that ends with nothing. */
export function checkNginx({ text }: Block): void {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '');
  let depth = 0;
  for (const line of lines) {
    if (!/[;{}]$/.test(line)) throw new Error(`no end: ${line}`);
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length;
    if (depth < 0) throw new Error(`a brace too many: ${line}`);
  }
  if (depth !== 0) throw new Error('a brace is not closed');
}
