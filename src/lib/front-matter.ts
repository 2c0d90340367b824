import { isMap, parseDocument } from 'yaml';

/** Front matter longer than this is no front matter: a post with a thousand old slugs has half as much. Characters. */
const MAX_LENGTH = 256 * 1024;

export interface FrontMatter {
  /** Values by lower-case name; YAML 1.2 core schema, so dates are text. */
  fields: ReadonlyMap<string, unknown>;
  /** The text after it, with '\n' line ends. */
  body: string;
  /** The same with the line ends of the file, unless those of the front matter itself are not '\n'. */
  raw: string;
}

export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError';
}

const BLOCK = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

function fieldsOf(yaml: string): Map<string, unknown> {
  if (yaml.length > MAX_LENGTH) throw new FrontMatterError('front matter is longer than 256 kB');
  const document = parseDocument(yaml, { schema: 'core', prettyErrors: false, logLevel: 'silent', merge: false });
  const [error] = document.errors;
  if (error) throw new FrontMatterError(`front matter: ${error.message.split('\n')[0]}`);
  if (document.contents === null) return new Map();
  if (!isMap(document.contents)) throw new FrontMatterError('front matter is no list of fields');
  // As a Map: a field called __proto__ is a field like any other.
  const values = toMap(document);
  return new Map([...values].map(([name, value]) => [String(name).toLowerCase(), value]));
}

function toMap(document: ReturnType<typeof parseDocument>): Map<unknown, unknown> {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: 100 }) as Map<unknown, unknown>;
  } catch (error) {
    throw new FrontMatterError(`front matter: ${(error as Error).message}`);
  }
}

/**
 * Splits a Markdown file into its YAML front matter (between two lines of `---`, the first at the very start) and the
 * rest. A file without has no fields. Throws FrontMatterError for front matter that is no YAML map, or one that would
 * unfold to something huge.
 */
export function parseFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const block = BLOCK.exec(text);
  if (!block) return { fields: new Map(), body: text, raw: text };
  const [front] = block;
  const body = text.slice(front.length);
  return { fields: fieldsOf(block[1] ?? ''), body, raw: file.startsWith(front) ? file.slice(front.length) : body };
}
