import type { Fit } from './fit.ts';
import type { Attachment } from './wordpress-index.ts';
import { isAsWritten } from './wp-syntax.ts';

/** The images of the file, by their ids. */
type Images = ReadonlyMap<string, Attachment>;

/** Of HTML: paragraphs, and what is code already. Around code: shortcodes of WordPress and of its highlighters, some of which are named by the language. */
const BEGIN =
  /<(\/?[pP]|pre|PRE|code|CODE)(?:\s[^<>]*)?>|(?<!\[)\[(code|sourcecode|cc|bash|shell|powershell|c|cpp|csharp|css|diff|html|xml|java|javascript|js|perl|php|python|ruby|sql|text|plain)(?:\s([^[\]]*))?\]/g;
/** Builders of pages use these for other things. */
const COMMON = new Set(['text', 'html', 'c', 'plain']);
/** On a line of its own. */
const ALONE = /(?<=(?:^|\n|<p>|<br ?\/?>)[ \t]*)\[[a-z]+\](?=[ \t]*(?:\r?\n|$|<br ?\/?>|<\/p>))/y;
/** Ends of lines in a paragraph, as editors write them; those of blocks have comments between. */
const LINE_END = /<br\s?\/?>\r?\n?|<\/p>(?:\s|<!--[^<>]*-->)*<p(?:\s[^<>]*)?>/gi;
/** Those that say of no language which it is. */
const NO_LANGUAGE = new Set(['code', 'sourcecode', 'cc', 'text', 'plain']);

/** What is no entity that editors write in code: an operator, or an entity that the code is about. */
const OWN_AMPERSAND = /&(?!(?:lt|gt|amp|quot|nbsp|#0?39);)/g;

/** Others that are known by their name, by an attribute, or by their end. Doubled brackets are those of a text. */
const OTHER =
  /(?<!\[)\[(?:(gallery|audio|video|playlist|youtube|contact-form-7|wpforms|elementor-template)\b|([a-z][\w-]*)\s+[a-z][\w-]*=["'&]|\/([a-z][\w-]*)\](?!\]))/g;

/** What plays a file, or shows a page of elsewhere (`[youtube https://…]`). Bounded: one that is never closed would be looked at often. */
const FILE =
  /(?<!\[)\[(?:audio|video)\b[^[\]]{0,500}?\s(?:src|mp3|m4a|ogg|wav|mp4|m4v|webm|ogv)=["']?(https?:\/\/[^\s"'[\]]{1,2000})[^[\]]{0,500}\](?:\[\/(?:audio|video)\])?/g;
const PAGE =
  /(?<!\[)\[(?:youtube|vimeo|dailymotion|soundcloud|spotify|tiktok|instagram|facebook|tweet|ted)[= ]["']?(https?:\/\/[^\s"'[\]]{1,2000})[^[\]]{0,500}\]/g;

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

function isCode(name: string, attributes: string, content: string, at: number): boolean {
  if (!COMMON.has(name) || attributes.trim() !== '') return true;
  const alone = new RegExp(ALONE);
  alone.lastIndex = at;
  return alone.test(content);
}

/**
 * A text in turns: what is outside of shortcodes, and the code of each as HTML. A beginning without an end is text, and looked at once.
 * Between the tags of a paragraph it is HTML, in which lines end by elements; elsewhere tags are a part of the code.
 */
function splitCode(content: string): string[] {
  const parts: string[] = [];
  const begin = new RegExp(BEGIN);
  const endless = new Set<string>();
  let from = 0;
  let isHtml = false;
  for (let found = begin.exec(content); found !== null; found = begin.exec(content)) {
    const [whole, tag, name = 'code', attributes = ''] = found;
    if (tag?.toLowerCase().endsWith('p')) {
      isHtml = !tag.startsWith('/');
      continue;
    }
    // It ends a paragraph, also one whose end is not written: what is in it is no line of that.
    if (tag?.toLowerCase() === 'pre') isHtml = false;
    if (tag === undefined && !isCode(name, attributes, content, found.index)) continue;
    const end = tag === undefined ? `[/${name}]` : `</${tag}>`;
    const to = endless.has(end) ? -1 : content.indexOf(end, begin.lastIndex);
    if (to < 0) {
      endless.add(end);
      continue;
    }
    const code = content.slice(begin.lastIndex, to);
    begin.lastIndex = to + end.length;
    if (tag !== undefined && !isAsWritten(whole, code)) continue;
    const lines = isHtml ? code.replaceAll(LINE_END, '\n') : code;
    const [given, plain] = tag === undefined ? [attributes, lines] : [whole, code.replaceAll(OWN_AMPERSAND, '&amp;')];
    parts.push(content.slice(from, found.index), codeOf(name, given, plain));
    from = begin.lastIndex;
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

/** Whether a place is within `<code>` or `<pre>`; asked for places in their order. */
function codeSpans(content: string): (at: number) => boolean {
  const tags = content.matchAll(/<(\/?)(?:code|pre)\b[^<>]*>/gi);
  let next = tags.next();
  let depth = 0;
  return (at) => {
    for (; !next.done && next.value.index < at; next = tags.next())
      depth = Math.max(0, depth + (next.value[1] === '/' ? -1 : 1));
    return depth > 0;
  };
}

const inValue = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** A gallery as its images one below the other; as it is written where it names none that the file holds. */
function withGalleries(fit: Fit, content: string, images: Images): string {
  const inCode = codeSpans(content);
  return content.replaceAll(/(?<!\[)\[gallery\b([^[\]]*)\]/g, (written: string, attributes: string, at: number) => {
    if (inCode(at)) return written;
    const named = /\b(?:ids|include)\s*=\s*["']?([\d\s,]+)/.exec(attributes)?.[1] ?? '';
    const ids = named.split(/[\s,]+/).filter((id) => id !== '');
    const held = ids.flatMap((id) => {
      const { url, alt = '' } = images.get(id) ?? {};
      return url === undefined ? [] : [`<div><img src="${inValue(url)}" alt="${inValue(alt)}"></div>`];
    });
    if (held.length === 0) return written;
    if (held.length < ids.length) fit.note('images of a gallery left out: the file does not hold them');
    return `\n\n${held.join('\n\n')}\n\n`;
  });
}

/** Players as their address. */
function withPlayers(content: string): string {
  let text = content;
  for (const player of [FILE, PAGE]) {
    const inCode = codeSpans(text);
    text = text.replaceAll(player, (written: string, address: string, at: number) =>
      inCode(at) ? written : `\n\n${address}\n\n`,
    );
  }
  return text;
}

function outsideOfCode(fit: Fit, content: string, images: Images, others: Set<string>): string {
  const known = withPlayers(withGalleries(fit, withCaptions(content), images))
    // No `[` in them: else every beginning that is never closed is looked through to the end of the text.
    .replaceAll(/\[\/?caption\b[^[\]]*\]/g, '\n')
    .replaceAll(/\[embed\b[^[\]]*\]([^[]*)\[\/embed\]/g, '\n\n$1\n\n');
  for (const [, named, given, ended] of known.matchAll(OTHER)) others.add(named ?? given ?? ended ?? '');
  return known;
}

/**
 * Code becomes code, captions keep their image and text, a gallery its images, an embed and a player the address; other shortcodes stay as they are
 * written, with a note.
 */
export function withoutShortcodes(fit: Fit, content: string, images: Images): string {
  const others = new Set<string>();
  const html = splitCode(content)
    .map((part, at) => (at % 2 === 1 ? part : outsideOfCode(fit, part, images, others)))
    .join('');
  const [first, ...more] = others;
  if (first !== undefined) {
    fit.note(`shortcode [${first}]${more.length > 0 ? ` and ${more.length} more` : ''} left as text`);
  }
  return html;
}
