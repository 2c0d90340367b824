import { parse as parseToml, TomlError } from 'smol-toml';
import { isMap, parseDocument } from 'yaml';
import { readLooseDate } from './loose-date.ts';

/** Front matter longer than this is no front matter: a post with a thousand old slugs has half as much. Characters. */
const MAX_LENGTH = 256 * 1024;

/** Values within each other. Those of aliases in YAML may hold themselves. */
const MAX_DEPTH = 100;

export interface FrontMatter {
  /** Values by lower-case name, objects in them as Maps; YAML 1.2 core schema, so dates are text, as they are of TOML and JSON. */
  fields: ReadonlyMap<string, unknown>;
  /** The text after it, with '\n' line ends. */
  body: string;
  /** The same with the line ends of the file, unless those of the front matter itself are not '\n'. */
  raw: string;
}

export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError';
}

/** Hugo passes over empty lines before front matter. */
const EMPTY_LINES = /^(?:[ \t]*\n)*/;
/** Jekyll takes `...` for the end, too. */
const YAML = /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.{3})[ \t]*(?:\n|$)/;
const TOML = /^\+{3}[ \t]*\n(?:([\s\S]*?)\n)?\+{3}[ \t]*(?:\n|$)/;
/**
 * Lines that begin it also where it cannot be read: behind blanks of any kind, or with a comment, the name of a language or
 * anything else behind them, unless that makes a thematic break.
 */
const YAML_MARK = /^\s*---(?:[^\S\n]*|(?=.*[^\s-]).*)\n/;
const TOML_MARK = /^\s*\+{3}(?:[^\S\n]*|(?=.*[^\s+]).*)\n/;
/** As some systems name the language. It is no Markdown. */
const NAMED_MARK = /^\s*---[^\S\n]*(?:toml|ya?ml|json)[^\S\n]*(?:[^\S\n]#.*)?\n/i;
/** Begins the fields of some languages. */
const BRACE = /^\s*\{\s*$/;
/** A field, and one with a name of several words, which a sentence may look like. */
const YAML_FIELD = /^["']?[\p{L}\p{N}_./-]+["']?[ \t]*:(?:\s|$)/u;
const YAML_WORDS = /^["']?[\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+){0,3}["']?[ \t]*:(?:\s|$)/u;
const TOML_FIELD = /^["']?[\w.-]+["']?[ \t]*=|^\[/;
/** A text may begin with a brace, but hardly with a name in quotes behind it. */
const JSON_BEGUN = /^\s*\{\s*(?:"|\}[ \t]*(?:\n|$))/;

/**
 * The lines behind such a mark up to an empty one, less comments and empty lines before them. A comment of YAML that is
 * followed by an empty line may be a heading of Markdown as well (`isApart`).
 */
function firstLines(text: string, mark: RegExp): { lines: string[]; isApart: boolean } | undefined {
  const begin = mark.exec(text)?.[0].length;
  if (begin === undefined) return undefined;
  const all = text.slice(begin, begin + MAX_LENGTH).split('\n');
  if (BRACE.test(all[0] as string)) all.shift();
  let [at, isApart, wasComment] = [0, false, false];
  for (; at < all.length && /^\s*(?:#|$)/.test(all[at] as string); at++) {
    const isComment = (all[at] as string).trim() !== '';
    isApart ||= wasComment && !isComment;
    wasComment = isComment;
  }
  const end = all.findIndex((line, i) => i >= at && line.trim() === '');
  return { lines: all.slice(at, end < 0 ? undefined : end), isApart };
}

/** Whether a text begins as YAML between two marks does: a thematic break with a paragraph behind it is none. */
function isYamlBegun(text: string): boolean {
  if (NAMED_MARK.test(text)) return true;
  const { lines = [], isApart = false } = firstLines(text, YAML_MARK) ?? {};
  if (!YAML_WORDS.test(lines[0]?.trimStart() ?? '')) return false;
  const isOne = !isApart && lines.some((line, at) => YAML_FIELD.test(at === 0 ? line.trimStart() : line));
  return isOne || lines.filter((line) => YAML_WORDS.test(line)).length > 1;
}

const isTomlBegun = (text: string): boolean =>
  TOML_FIELD.test(firstLines(text, TOML_MARK)?.lines[0]?.trimStart() ?? '');

function yamlFields(yaml: string): Map<string, unknown> {
  const document = parseDocument(yaml, { schema: 'core', prettyErrors: false, logLevel: 'silent', merge: false });
  const [error] = document.errors;
  if (error) throw new FrontMatterError(`front matter: ${error.message.split('\n')[0]}`);
  if (document.contents === null) return new Map();
  if (!isMap(document.contents)) throw new FrontMatterError('front matter is no list of fields');
  // As a Map: a field called __proto__ is a field like any other.
  return named(bounded(toMap(document)));
}

const named = (values: ReadonlyMap<unknown, unknown>): Map<string, unknown> =>
  new Map([...values].map(([name, value]) => [String(name).toLowerCase(), value]));

/** The value, unless it has so many within each other that the stack ends before them. Each is looked at once a depth. */
function bounded<T>(value: T, depth = 0, seen = new Map<unknown, number>()): T {
  if (typeof value !== 'object' || value === null || (seen.get(value) ?? -1) >= depth) return value;
  if (depth > MAX_DEPTH) throw new FrontMatterError(`front matter: more than ${MAX_DEPTH} values within each other`);
  seen.set(value, depth);
  for (const inner of value instanceof Map ? value.values() : Object.values(value)) bounded(inner, depth + 1, seen);
  return value;
}

/** Texts and comments of TOML, and dates that are values; names of fields may look like one. */
const TOML_PARTS =
  /"""(?:[^\\]|\\[^])*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#.*|(?<![\w-])(\d{4}-\d{2}-\d{2})(?![\w-]*[ \t]*[=.])/g;

/** The library makes the 1st of March of the 30th of February. The text is known to be TOML. */
function checkDays(toml: string): void {
  for (const [, day] of toml.matchAll(TOML_PARTS))
    if (day !== undefined && readLooseDate(day) === undefined)
      throw new FrontMatterError(`front matter: ${day} is no day`);
}

/** Objects as Maps, and dates of TOML as they are written there. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

function tomlFields(toml: string): Map<string, unknown> {
  try {
    const values = parseToml(toml, { integersAsBigInt: 'asNeeded' });
    checkDays(toml);
    return named(plain(bounded(values)) as Map<string, unknown>);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FrontMatterError(`front matter: ${error.message.split('\n')[0]} (line ${error.line})`);
  }
}

function jsonFields(json: string): Map<string, unknown> {
  try {
    return named(plain(bounded(JSON.parse(json))) as Map<string, unknown>);
  } catch (error) {
    if (error instanceof FrontMatterError) throw error;
    throw new FrontMatterError(`front matter is no JSON ${/\(line \d+ column \d+\)/.exec(String(error))?.[0] ?? ''}`);
  }
}

/** Up to the brace that closes the first one, and the end of its line. Undefined where none does, or where text stands behind it. */
function jsonBlock(text: string): { front: string; written: string } | undefined {
  let depth = 0;
  for (const { 0: part, index } of text.slice(0, MAX_LENGTH).matchAll(/[{}]|"(?:[^"\\]|\\[^]?)*(?:"|$)/g)) {
    if (part === '{') depth++;
    if (part === '}' && --depth === 0) {
      const written = text.slice(0, index + 1);
      const end = /^[ \t]*(?:\n|$)/.exec(text.slice(written.length))?.[0];
      return end === undefined ? undefined : { front: written + end, written };
    }
  }
  return undefined;
}

const between = (block: RegExp) => (text: string) => {
  const [front, written = ''] = block.exec(text) ?? [];
  return front === undefined ? undefined : { front, written };
};

const FORMS = [
  { isBegun: isYamlBegun, block: between(YAML), read: yamlFields },
  { isBegun: isTomlBegun, block: between(TOML), read: tomlFields },
  {
    isBegun: (text: string) => JSON_BEGUN.test(text),
    block: (text: string) => (text.startsWith('{') && JSON_BEGUN.test(text) ? jsonBlock(text) : undefined),
    read: jsonFields,
  },
];

/** The front matter with its lines, and its fields. */
function frontOf(text: string): { front: string; fields: Map<string, unknown> } | undefined {
  const before = EMPTY_LINES.exec(text)?.[0] ?? '';
  const rest = text.slice(before.length);
  for (const { isBegun, block, read } of FORMS) {
    const found = block(rest);
    if (found !== undefined) {
      if (found.written.length > MAX_LENGTH) throw new FrontMatterError('front matter is longer than 256 kB');
      return { front: before + found.front, fields: read(found.written) };
    }
    if (isBegun(rest)) throw new FrontMatterError('front matter that does not end, or begins or ends within a line');
  }
  return undefined;
}

function toMap(document: ReturnType<typeof parseDocument>): Map<unknown, unknown> {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: 100 }) as Map<unknown, unknown>;
  } catch (error) {
    throw new FrontMatterError(`front matter: ${(error as Error).message}`);
  }
}

/**
 * Splits a Markdown file into its front matter and the rest: YAML between two lines of `---` (the second may be `...`), TOML between
 * two of `+++`, or a JSON object, each at the very start or behind empty lines. A file without has no fields. Throws FrontMatterError
 * for front matter that cannot be read as such, does not end or begins within a line, since as a text it would be public, is no list of fields, or would
 * unfold to something huge.
 */
export function parseFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const found = frontOf(text);
  if (found === undefined) return { fields: new Map(), body: text, raw: text };
  const { front, fields } = found;
  const body = text.slice(front.length);
  return { fields, body, raw: file.startsWith(front) ? file.slice(front.length) : body };
}
