/**
 * Markup (HTML or XML) as a type of its own: only `markup` and `trusted` make it, so text can never be taken for it.
 */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template. Lists are put one after the other; null, undefined and false are nothing. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What no XML document can hold, not even escaped (XML 1.0 §2.2); in HTML it is an error too. */
// oxlint-disable-next-line no-control-regex -- these are the ones
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text for an element or an attribute in quotes, of HTML or XML. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(UNFIT, '')
    .replaceAll(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

function put(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.toString();
  if (typeof part === 'string') return escapeMarkup(part);
  if (typeof part === 'number') return String(part);
  return part.map(put).join('');
}

/**
 * A tagged template for HTML and XML: whatever is put in is escaped unless it is `Markup` itself. Attributes have to be in
 * quotes. Addresses of others need a look at their scheme besides: no escaping makes `javascript:` harmless.
 */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let out = texts[0] as string;
  for (const [i, part] of parts.entries()) out += put(part) + (texts[i + 1] as string);
  return new Markup(out);
}

/** Takes a text for markup. Only for what was made safe elsewhere, or holds nothing that anybody gave. */
export const trusted = (text: string): Markup => new Markup(text);

/**
 * JSON for a `script` element: `<` is escaped, so neither `</script>` nor `<!--` can stand in it, and so are the line
 * ends that only JSON knows.
 */
export const jsonMarkup = (value: unknown): Markup =>
  new Markup(
    JSON.stringify(value)
      .toWellFormed()
      .replaceAll(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
