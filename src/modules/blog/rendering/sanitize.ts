import sanitizeHtml, { type IOptions, type Transformer } from 'sanitize-html';
import { LEFT_OUT_WITH_CONTENT, SHOWN_ELEMENTS } from '../../../lib/shown-elements.ts';
import { ID, ID_PREFIX } from './headings.ts';
import { escapeUnclosed } from './unclosed.ts';

/** Of links that leave the page: its search rank is not lent, and the other side gets no handle on the window. */
const REL = 'nofollow ugc noopener';
const LEAVES = /^\s*(?:https?:)?\/\//i;

/** Deeper elements are left out; browsers stop at 512. */
const NESTING_MAX = 100;

const OPTIONS: IOptions = {
  allowedTags: [...SHOWN_ELEMENTS],
  disallowedTagsMode: 'discard',
  nonTextTags: [...LEFT_OUT_WITH_CONTENT, 'embed'],
  nestingLimit: NESTING_MAX,
  allowedAttributes: {
    '*': ['id', 'title', 'lang', 'dir'],
    a: ['href', 'rel'],
    img: ['src', 'alt', 'width', 'height', 'loading', 'decoding'],
    ol: ['start', 'reversed'],
    li: ['value'],
    th: ['align', 'colspan', 'rowspan', 'scope'],
    td: ['align', 'colspan', 'rowspan'],
    details: ['open'],
    time: ['datetime'],
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
  },
  allowedClasses: {
    code: [/^language-[\w+#.-]{1,40}$/],
    span: [/^hljs-[\w-]{1,40}$/, /^(?:class|function|inherited|constant|escape|language|invoke|interpolation)_{1,2}$/],
    li: ['task-list-item', 'footnote-item'],
    ol: ['footnotes-list'],
    sup: ['footnote-ref'],
    section: ['footnotes'],
    hr: ['footnotes-sep'],
    a: ['footnote-backref'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  exclusiveFilter: ({ tag, attribs }) => isLeftOut(tag, attribs),
};

type Attributes = Parameters<Transformer>[1];

const isLeftOut = (tag: string, { type }: Attributes): boolean => tag === 'input' && type !== 'checkbox';

function withId({ id, ...rest }: Attributes): Attributes {
  return id !== undefined && ID.test(id) ? { ...rest, id: ID_PREFIX + id } : rest;
}

/** Whether something of the text has exactly this id, without its prefix. */
type HasId = (id: string) => boolean;

/** To browsers, the beginning of the page, unless something there has the id, as it is spelled. */
const TOP = /^#(?:top)?$/i;

/** The name of an anchor is what its id is today. */
function link({ href, ...all }: Attributes, has: HasId): Attributes {
  const { rel: _given, name, ...own } = all;
  const rest = own.id === undefined && name !== undefined ? withId({ ...own, id: name }) : own;
  if (href === undefined) return rest;
  if (TOP.test(href) && !has(href.slice(1))) return { ...rest, href };
  if (href.startsWith('#')) return { ...rest, href: `#${ID_PREFIX}${href.slice(1)}` };
  return { ...rest, href, ...(LEAVES.test(href) ? { rel: REL } : {}) };
}

const image = (attributes: Attributes): Attributes => ({ ...attributes, loading: 'lazy', decoding: 'async' });
/** A box of a list of tasks, which shows and cannot be ticked. */
const box = (attributes: Attributes): Attributes => ({ ...attributes, disabled: '' });

const transform =
  (has: HasId) =>
  (tagName: string, attributes: Attributes): { tagName: string; attribs: Attributes } => {
    const own = withId(attributes);
    const change = { a: (all: Attributes) => link(all, has), img: image, input: box }[tagName];
    return { tagName, attribs: change ? change(own) : own };
  };

/** The ids, without their prefix, of the elements that are left when this HTML is made safe. */
export function shownIds(html: string): string[] {
  const ids: string[] = [];
  const change = transform(() => false);
  // It is asked of each element outside of those that are left out with what is in them.
  const collect = (tag: string, attributes: Attributes): ReturnType<Transformer> => {
    const changed = change(tag, attributes);
    const { id } = changed.attribs;
    if (id !== undefined && SHOWN_ELEMENTS.includes(tag) && !isLeftOut(tag, attributes))
      ids.push(id.slice(ID_PREFIX.length));
    return changed;
  };
  sanitizeHtml(escapeUnclosed(html, LEFT_OUT_WITH_CONTENT), { ...OPTIONS, transformTags: { '*': collect } });
  return ids;
}

/**
 * HTML that is safe to put into any page: only elements, attributes and addresses of the lists above, everything else
 * escaped or left out, every element closed. Written anew from what was parsed, so that nothing of the input's own
 * notation, on which browsers disagree, is left. What would be left out, but has no end, is text. `has`: what of it has
 * the id `top`, however spelled, links lead to instead of to the beginning of the page.
 */
export const safeHtml = (html: string, has: HasId): string =>
  sanitizeHtml(escapeUnclosed(html, LEFT_OUT_WITH_CONTENT), { ...OPTIONS, transformTags: { '*': transform(has) } });
