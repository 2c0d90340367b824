import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/step.ts';
import { ERRORS } from '../../src/contracts/errors.ts';
import { EVENTS, internalEvents } from '../../src/contracts/events/index.ts';
import { SETTINGS } from '../../src/platform/config/settings.ts';

interface Parameter {
  name?: string;
  $ref?: string;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, unknown>;
  components: { parameters?: Record<string, { name: string }> };
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const find = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });

export const openapi = JSON.parse(textOf('openapi.json')) as Document;

export interface KnownOperation {
  method: string;
  path: string;
  operationId: string;
  parameters: ReadonlySet<string>;
}

const nameOf = ({ name, $ref }: Parameter): string =>
  name ?? openapi.components.parameters?.[$ref?.split('/').at(-1) ?? '']?.name ?? '';

export const OPERATIONS: readonly KnownOperation[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [] }]) => ({
    method: method.toUpperCase(),
    path,
    operationId,
    parameters: new Set(parameters.map(nameOf)),
  })),
);

/** Every key and every value of an enumeration in openapi.json: names of fields, schemas, operations, states. */
function namesOfDocument(): Set<string> {
  const names = new Set<string>();
  const walk = (value: unknown, key: string): void => {
    if (key === 'description' || key === 'example' || key === 'examples') return;
    if (typeof value === 'string') {
      if (['operationId', 'title', 'name', 'const', 'default'].includes(key)) names.add(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name);
      if (key === 'enum' && typeof inner === 'string') names.add(inner);
      walk(inner, Array.isArray(value) ? key : name);
    }
  };
  walk(openapi, '');
  return names;
}

export const DOCUMENT_NAMES: ReadonlySet<string> = namesOfDocument();
export const SETTING_NAMES: ReadonlySet<string> = new Set(Object.keys(SETTINGS));
export const ERROR_CODES: ReadonlySet<string> = new Set(Object.keys(ERRORS));
export const EVENT_NAMES: ReadonlySet<string> = new Set([...internalEvents, ...Object.keys(openapi.webhooks)]);
export const EVENT_NOUNS: ReadonlySet<string> = new Set(Object.keys(EVENTS).map((name) => name.split('.')[0] ?? ''));

/** Code of the project without its texts for people. */
const SOURCES = find('{src,scripts,client/src,dashboard/src,test,bench,e2e}/**/*.{ts,tsx}')
  .filter((path) => !path.startsWith('test/docs/'))
  .map(textOf)
  .concat(find('migrations/*.sql').map(textOf));

/** Every word of the code. */
export const CODE_WORDS: ReadonlySet<string> = new Set(
  SOURCES.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []),
);
/** Words with dashes or colons, as readers, scopes, packages and options have. */
export const CODE_TERMS: ReadonlySet<string> = new Set(
  SOURCES.flatMap((text) => text.match(/[A-Za-z@][\w-]*(?:[:/.-][\w-]+)+/g) ?? []),
);
export const CODE_OPTIONS: ReadonlySet<string> = new Set(
  SOURCES.flatMap((text) => text.match(/--[a-z][a-z-]*/g) ?? []),
);

export const FILES: readonly string[] = find(
  '{*,{src,test,e2e,docs,client,dashboard,scripts,migrations,bench,examples}/**/*}',
);
export const scriptsOf = (path: string): ReadonlySet<string> =>
  new Set(Object.keys((JSON.parse(textOf(path)) as { scripts: object }).scripts));
export const SCRIPTS = scriptsOf('package.json');
