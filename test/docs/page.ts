import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { ROOT } from '../../scripts/lib/step.ts';
import { attributesOf, type Attributes } from './attributes.ts';

/** A fenced block. */
export interface Block {
  /** Path of its page from the root of the repository. */
  page: string;
  /** Line of its fence, from 1 on. */
  line: number;
  /** First word behind the fence; '' without one. */
  language: string;
  attributes: Attributes;
  text: string;
}

export interface Link {
  line: number;
  href: string;
}

export interface Code {
  line: number;
  text: string;
}

/** What the tests look at in a page of Markdown. */
export interface Page {
  path: string;
  blocks: Block[];
  links: Link[];
  images: { line: number; src: string; alt: string }[];
  /** Texts in backticks. */
  codes: Code[];
  /** Ids that a link can lead to. */
  anchors: Set<string>;
}

const markdown = new MarkdownIt({ html: true, linkify: false });

/** The id of a heading as GitHub gives it, before a number makes it unique. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

const plainText = (token: Token): string =>
  (token.children ?? []).map((child) => (child.type === 'image' ? '' : child.content)).join('');

function addAnchor(anchors: Set<string>, heading: string): void {
  const slug = slugOf(heading);
  let id = slug;
  for (let n = 1; anchors.has(id); n++) id = `${slug}-${n}`;
  anchors.add(id);
}

function readInline(page: Page, token: Token, line: number): void {
  for (const child of token.children ?? []) {
    if (child.type === 'code_inline') page.codes.push({ line, text: child.content });
    if (child.type === 'link_open') page.links.push({ line, href: String(child.attrGet('href') ?? '') });
    if (child.type === 'image') page.images.push({ line, src: String(child.attrGet('src') ?? ''), alt: child.content });
  }
}

/** A page by its text; `path` from the root of the repository. */
export function parsePage(path: string, text: string): Page {
  const page: Page = { path, blocks: [], links: [], images: [], codes: [], anchors: new Set() };
  const tokens = markdown.parse(text, {});
  let line = 1;
  for (const [i, token] of tokens.entries()) {
    line = (token.map?.[0] ?? line - 1) + 1;
    if (token.type === 'fence') {
      const [language = ''] = token.info.trim().split(/\s+/, 1);
      const attributes = attributesOf(token.info.trim().slice(language.length));
      page.blocks.push({ page: path, line, language, attributes, text: token.content });
    }
    if (token.type === 'inline') readInline(page, token, line);
    const heading = tokens[i + 1];
    if (token.type === 'heading_open' && heading) addAnchor(page.anchors, plainText(heading));
  }
  return page;
}

export const readPage = (path: string): Page => parsePage(path, readFileSync(posix.join(ROOT, path), 'utf8'));

export const placeOf = (block: { page: string; line: number }): string => `${block.page}:${block.line}`;
