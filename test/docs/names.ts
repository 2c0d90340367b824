import { addressFault } from './addresses.ts';
import { commandFault, commandsShown } from './commands.ts';
import {
  CODE_OPTIONS,
  CODE_TERMS,
  CODE_WORDS,
  DOCUMENT_NAMES,
  ERROR_CODES,
  EVENT_NAMES,
  EVENT_NOUNS,
  FILES,
  SETTING_NAMES,
} from './known-names.ts';
import type { Page } from './page.ts';

/** Names of metrics with their labels. */
export type Metrics = ReadonlyMap<string, ReadonlySet<string>>;

interface Context {
  page: Page;
  metrics: Metrics;
}

/** Headers of proxies, variables of Node and Docker, settings and programs of PostgreSQL and PgBouncer, hosts of examples. */
const FOREIGN = new Set([
  'X-Forwarded-For',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'PGPASSWORD',
  'POSTGRES_PASSWORD',
  'node_modules/.bin',
  '.data/demo.json',
  'max_prepared_statements',
  'default_pool_size',
  'query_timeout',
  'idle_transaction_timeout',
  'pg_dump',
  'pg_restore',
  'shared_buffers',
  'synchronous_commit',
  'moduleResolution',
  'pg_stat_statements',
  'pg_basebackup',
  'example.com',
  'shop.example',
]);

const isFile = (name: string): boolean => FILES.some((file) => `/${file}`.endsWith(`/${name}`));
const isFolder = (name: string): boolean => FILES.some((file) => `/${file}`.includes(`/${name.replace(/\/$/, '')}/`));
const isInCode = (name: string): boolean => DOCUMENT_NAMES.has(name) || CODE_WORDS.has(name);
const unless = (isKnown: boolean, says: string): string | null => (isKnown ? null : says);

function metricFault(name: string, labels: string, metrics: Metrics): string | null {
  const own = metrics.get(name);
  // The one name of ours that begins like a metric: a cookie.
  if (!own) return unless(name === 'posthorn_visit', 'is no metric');
  const names = labels.split(',').map((label) => label.split('=')[0] ?? '');
  const unknown = names.filter((label) => label !== '' && !own.has(label));
  return unless(unknown.length === 0, `has no label ${unknown.join()}`);
}

function upperCaseFault(name: string, value: string | undefined): string | null {
  const isSetting = SETTING_NAMES.has(name) || CODE_WORDS.has(name);
  if (value !== undefined) return unless(isSetting, 'is no setting');
  return unless(isSetting || DOCUMENT_NAMES.has(name) || ERROR_CODES.has(name), 'is no setting, code or state');
}

function dottedFault(name: string): string | null {
  if (EVENT_NAMES.has(name) || DOCUMENT_NAMES.has(name)) return null;
  if (EVENT_NOUNS.has(name.split('.')[0] ?? '')) return 'is no event';
  return unless(name.split('.').every(isInCode) || CODE_TERMS.has(name) || isFile(name), 'is no event, field or file');
}

/** What a text in backticks looks like, and what is wrong with it then; the first that fits counts. */
const RULES: readonly [RegExp, (parts: readonly string[], context: Context) => string | null][] = [
  [/^(?:([A-Z]{3,6}) )?((?:\/|…)\S*)(?: \{.*\})?$/, ([, method, address = '']) => addressFault(method, address)],
  [/^(?:npm|(?:npx )?posthorn) [a-z].*$/, ([text = '']) => commandFault(text.replace(/^npx /, ''))],
  [/^posthorn_(process|nodejs)_…$/, () => null],
  [
    /^(posthorn_[a-z_]+)(?:\{(.*)\})?$/,
    ([, name = '', labels = ''], { metrics }) => metricFault(name, labels, metrics),
  ],
  [/^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{3,})(?:=(\S*))?$/, ([, name = '', value]) => upperCaseFault(name, value)],
  [/^[a-z_]+\.[a-zA-Z_]+$/, ([name = '']) => dottedFault(name)],
  [/^[\w./-]+\.(?:ts|tsx|js|mjs|md|json|ya?ml|sql|css|svg)$/, ([name = '']) => unless(isFile(name), 'is no file')],
  [
    /^[a-z]\w*(?:\/[\w.-]+)+\/?$/,
    ([name = '']) => unless(isFolder(name) || isFile(name) || CODE_TERMS.has(name), 'is no folder'),
  ],
  [/^(X-[A-Za-z-]+)(?::.*)?$/, ([, name = '']) => unless(isHeader(name), 'is no header field')],
  [/^--[a-z][a-z-]*$/, ([name = '']) => unless(CODE_OPTIONS.has(name), 'is no option')],
  [/^[a-z]+:[a-z]+$/, ([name = '']) => unless(CODE_TERMS.has(name), 'is no scope')],
  [
    /^((?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-zA-Z0-9]*)+)(?:\(\))?$/,
    ([, name = '']) => unless(isInCode(name), 'is no name of the API or the code'),
  ],
  [/^[a-z]+(?:_[a-z]+)+$/, ([name = '']) => unless(isInCode(name), 'is no name of the API, the code or the database')],
];

const isHeader = (name: string): boolean =>
  DOCUMENT_NAMES.has(name) || CODE_TERMS.has(name.toLowerCase()) || CODE_TERMS.has(name);

function faultOf(text: string, context: Context): string | null | undefined {
  const isOwnFile = context.page.blocks.some(({ attributes }) => attributes['file'] === text);
  if (FOREIGN.has(text) || isOwnFile || text.includes('NNNN')) return null;
  for (const [pattern, check] of RULES) {
    const match = pattern.exec(text);
    if (match) return check([...match], context);
  }
  return undefined;
}

/** Names in backticks, and commands in blocks, that the code does not have: a line for each; and how many were looked at. */
export function nameFaults(page: Page, metrics: Metrics): { faults: string[]; checked: number } {
  const faults: string[] = [];
  let checked = 0;
  for (const { line, text } of page.codes) {
    const fault = faultOf(text, { page, metrics });
    if (fault !== undefined) checked++;
    if (typeof fault === 'string') faults.push(`${page.path}:${line}: \`${text}\` ${fault}`);
  }
  for (const { line, language, text } of page.blocks) {
    if (language !== 'text' && language !== 'sh') continue;
    for (const command of commandsShown(text)) {
      checked++;
      const fault = commandFault(command);
      if (fault !== null) faults.push(`${page.path}:${line}: ${command}: ${fault}`);
    }
  }
  return { faults, checked };
}
