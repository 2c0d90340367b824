import type { Highlight } from './code.ts';
import type { TocEntry } from './headings.ts';
import { toUnsafeHtml } from './parser.ts';
import { safeHtml } from './sanitize.ts';

/** Raised when the same Markdown would become other HTML: what is stored under a lower number is rendered anew. */
export const RENDERER_VERSION = 6;

export interface Rendering {
  /** Safe to put into any page. */
  html: string;
  toc: TocEntry[];
  /** Rendering took too long or failed, and this is the text as it was written; another try may do better. */
  gaveUp?: true;
}

/** Footnotes and tables can make much of little; what becomes longer is shown as it was written. UTF-16 units. */
const HTML_MAX = 5_000_000;

/**
 * Renders Markdown, its code as `highlight` colours it. Takes as long as it takes: call it in the thread that may be ended
 * (`renderer.ts`), or for short texts.
 */
export function renderWith(markdown: string, highlight: Highlight): Rendering {
  const { html, headings } = toUnsafeHtml(markdown, highlight);
  if (html.length > HTML_MAX) return renderPlain(markdown);
  const safe = safeHtml(html, (id) => headings.has(id));
  return safe.length > HTML_MAX ? renderPlain(markdown) : { html: safe, toc: headings.toc };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The text as it was written, in paragraphs: for what could not be rendered in time. */
export function renderPlain(markdown: string): Rendering {
  const escaped = markdown.replaceAll(/[&<>"]/g, (c) => ESCAPES[c] ?? c);
  const paragraphs = escaped.split(/\n[ \t]*\n\s*/).filter((text) => text.trim() !== '');
  return { html: paragraphs.map((text) => `<p>${text}</p>\n`).join(''), toc: [] };
}
