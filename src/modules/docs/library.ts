import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Token } from 'markdown-it';
import { addressOf, linkedFile } from './addresses.ts';
import { createMarkdown, hrefsOf, type Markdown, render, type Rendered } from './render.ts';
import { operationsOf, type Passage, passagesOf } from './search/passages.ts';

/** A part of the navigation. */
export interface Section {
  title: string;
  links: { text: string; address: string }[];
}

/** The documentation: files that are served, by address. */
export interface Library {
  sections: Section[];
  /** A page or a file; null when there is none at that address. */
  find(address: string): Promise<Found | null>;
  /** What all pages say, and the operations of the API, to be searched. */
  passages(): Promise<Passage[]>;
}

export type Found = { page: Rendered; path: string } | { file: Buffer; type: string };

/** Markdown becomes a page; the rest is shown as it is, code as text. */
const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const CONTENTS = 'docs/README.md';
const OPERATIONS = 'openapi.json';

/** Headings of the table of contents, each with the links of its list. */
function sectionsOf(tokens: readonly Token[], place: (href: string) => string | null): Section[] {
  const sections: Section[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2')
      sections.push({ title: tokens[i + 1]?.content ?? '', links: [] });
    const [first, text] = token.type === 'inline' ? (token.children ?? []) : [];
    if (first?.type !== 'link_open' || tokens[i - 1]?.type !== 'paragraph_open') continue;
    const address = place(String(first.attrGet('href')));
    if (address !== null) sections.at(-1)?.links.push({ text: text?.content ?? '', address });
  }
  return sections;
}

const isFile = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/**
 * Whether readers of the documentation may have it: of what lies beside docs/ texts, pictures and the examples. Whoever runs the
 * service may have written secrets into what configures it, and pages link to that too.
 */
const isDocumentation = (path: string): boolean =>
  !/(?:^|\/)\./.test(path) && (/^(?:docs|examples)\//.test(path) || /\.(?:md|png|svg)$/.test(path));

/** A file stands for itself, a folder for its README. Paths from the root of the repository. */
async function targetOf(root: string, path: string): Promise<string | null> {
  for (const candidate of [path, join(path, 'README.md')]) if (await isFile(join(root, candidate))) return candidate;
  return null;
}

/** Paths of everything that is served: what lies in docs/, the documentation that it links to, and what Markdown among it links to. */
async function collect(root: string, markdown: Markdown): Promise<Map<string, string>> {
  const names = await readdir(join(root, 'docs'), { recursive: true });
  const waiting = names.map((name) => `docs/${name.replaceAll('\\', '/')}`);
  /** What is asked for → the file that it stands for. */
  const targets = new Map<string, string>();
  const read = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (targets.has(path)) continue;
    const target = await targetOf(root, path);
    if (target === null || !isDocumentation(target)) continue;
    targets.set(path, target);
    if (!target.endsWith('.md') || read.has(target)) continue;
    read.add(target);
    // Only the first step leaves docs/: what the source's own READMEs link to is not for readers of the documentation.
    if (!target.startsWith('docs/')) continue;
    const text = await readFile(join(root, target), 'utf8');
    waiting.push(...hrefsOf(markdown, text).flatMap((href) => linkedFile(target, href)?.path ?? []));
  }
  return targets;
}

/** Opens the documentation of the repository at `root`. Takes some 100 ms; pages are rendered when they are asked for. */
export async function openLibrary(root: string): Promise<Library> {
  const { default: hljs } = await import('highlight.js/lib/common');
  const markdown = createMarkdown(hljs);
  const targets = await collect(root, markdown);
  const paths = new Map([...targets.values()].map((path) => [addressOf(path), path]));
  const placeFrom =
    (from: string) =>
    (href: string): string | null => {
      const linked = linkedFile(from, href);
      if (linked === null) return href;
      const target = targets.get(linked.path);
      return target === undefined ? null : addressOf(target) + linked.hash;
    };
  const rendered = new Map<string, Rendered>();
  const contents = await readFile(join(root, CONTENTS), 'utf8').catch(() => '');
  return {
    sections: sectionsOf(markdown.parse(contents, {}), placeFrom(CONTENTS)),
    async find(address) {
      // A link of the repository's own form, `settings.md`, leads to the page as well.
      const path = paths.get(address) ?? paths.get(address.replace(/(?:\/README)?\.md$/, ''));
      if (path === undefined) return null;
      if (extname(path) !== '.md')
        return { file: await readFile(join(root, path)), type: TYPES[extname(path)] ?? 'text/plain; charset=utf-8' };
      let page = rendered.get(path);
      if (!page)
        rendered.set(path, (page = render(markdown, await readFile(join(root, path), 'utf8'), placeFrom(path))));
      return { page, path };
    },
    async passages() {
      const all = operationsOf(await readFile(join(root, OPERATIONS), 'utf8'));
      for (const [address, path] of paths)
        if (extname(path) === '.md')
          all.push(...passagesOf(markdown, await readFile(join(root, path), 'utf8'), address));
      return all;
    },
  };
}
