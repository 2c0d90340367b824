import type { Fit } from './fit.ts';

/** Around code: those of WordPress and of its highlighters, some of which are named by the language. */
const CODE =
  /(?<!\[)\[(code|sourcecode|cc|bash|shell|powershell|c|cpp|csharp|css|diff|html|xml|java|javascript|js|perl|php|python|ruby|sql|text|plain)(?:\s([^[\]]*))?\]/g;
/** Those that say of no language which it is. */
const NO_LANGUAGE = new Set(['code', 'sourcecode', 'cc', 'text', 'plain']);

/** Others that are known by their name, by an attribute, or by their end. Doubled brackets are those of a text. */
const OTHER =
  /(?<!\[)\[(?:(gallery|audio|video|playlist|youtube|contact-form-7|wpforms|elementor-template)\b|([a-z][\w-]*)\s+[a-z][\w-]*=["'&]|\/([a-z][\w-]*)\](?!\]))/g;

function codeOf(name: string, attributes: string, code: string): string {
  const written = /\blang(?:uage)?\s*=\s*["']?([\w+#-]+)/.exec(attributes)?.[1];
  const language = written ?? (NO_LANGUAGE.has(name) ? '' : name);
  // The editors write `<` as `&lt;` in it; where they did not, it is code all the same.
  const html = code
    .replaceAll('<', '&lt;')
    .replace(/^\s*\n/, '')
    .trimEnd();
  return `\n\n<pre><code class="language-${language}">${html}</code></pre>\n\n`;
}

/** A text in turns: what is outside of code, and each code as HTML. A beginning without an end is text, and looked at once. */
function splitCode(content: string): string[] {
  const parts: string[] = [];
  const begin = new RegExp(CODE);
  const endless = new Set<string>();
  let from = 0;
  for (let found = begin.exec(content); found !== null; found = begin.exec(content)) {
    const [, name = '', attributes = ''] = found;
    const end = `[/${name}]`;
    const to = endless.has(name) ? -1 : content.indexOf(end, begin.lastIndex);
    if (to < 0) {
      endless.add(name);
      continue;
    }
    parts.push(content.slice(from, found.index), codeOf(name, attributes, content.slice(begin.lastIndex, to)));
    from = begin.lastIndex = to + end.length;
  }
  return [...parts, content.slice(from)];
}

/** Before WordPress 3.4 the text of a caption was an attribute, as HTML; it goes behind the image. */
function withCaptions(content: string): string {
  const parts = content.split('[/caption]');
  return parts
    .map((part, at) => {
      const text = /\[caption\b[^[\]]*\bcaption="([^"[\]]*)"/.exec(part)?.[1];
      return text === undefined || at === parts.length - 1 ? part : `${part} ${text}`;
    })
    .join('[/caption]');
}

function outsideOfCode(content: string, others: Set<string>): string {
  const known = withCaptions(content)
    // No `[` in them: else every beginning that is never closed is looked through to the end of the text.
    .replaceAll(/\[\/?caption\b[^[\]]*\]/g, '\n')
    .replaceAll(/\[embed\b[^[\]]*\]([^[]*)\[\/embed\]/g, '\n\n$1\n\n');
  for (const [, named, given, ended] of known.matchAll(OTHER)) others.add(named ?? given ?? ended ?? '');
  return known;
}

/** Code becomes code, captions keep their image and text, an embed its address; other shortcodes stay as they are written, with a note. */
export function withoutShortcodes(fit: Fit, content: string): string {
  const others = new Set<string>();
  const html = splitCode(content)
    .map((part, at) => (at % 2 === 1 ? part : outsideOfCode(part, others)))
    .join('');
  const [first, ...more] = others;
  if (first !== undefined) {
    fit.note(`shortcode [${first}]${more.length > 0 ? ` and ${more.length} more` : ''} left as text`);
  }
  return html;
}
