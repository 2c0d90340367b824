/** What the posts of the benchmark are made of: bodies, titles, tags and comments, cut out of real posts. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readMarkdown } from '../../src/cli/transfer/formats/read-markdown.ts';
import { slugify } from '../../src/lib/slug.ts';

export interface Material {
  /** Of about 4 kB each, of neighbouring paragraphs. */
  bodies: readonly string[];
  /** A title is one of the first and one of the second. */
  openings: readonly string[];
  endings: readonly string[];
  /** Most used first. */
  tags: readonly string[];
  /** Texts of comments. */
  sentences: readonly string[];
}

/** The folder of real posts that the tests use too (test/helpers/real-posts.ts). */
const ARCHIVE =
  process.env.TEST_POSTS_ARCHIVE ?? fileURLToPath(new URL('../../../shared/data/nodejs-blog.tar.gz', import.meta.url));

/** Bodies of the real posts. Throws when their archive is not there. */
export async function realBodies(): Promise<string[]> {
  if (!existsSync(ARCHIVE)) throw new Error(`TEST_POSTS_ARCHIVE must name an archive of posts; there is no ${ARCHIVE}`);
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bench-'));
  try {
    await promisify(execFile)('tar', ['-xzf', ARCHIVE, '-C', folder]);
    const bodies: string[] = [];
    for await (const item of (await readMarkdown(folder, 'real')).items) {
      if ('post' in item && item.post.body) bodies.push(item.post.body);
    }
    return bodies;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Longer paragraphs (tables, lists of a thousand commits) would make a body on their own. Characters. */
const BLOCK_MAX = 1500;
const BODY_LEAST = 3500;
const BODY_MOST = 4200;
/** A search document keeps 100 places of a word: bodies stay below, so that title and tags do not push any out. */
const SAME_WORD_MOST = 80;

/** Paragraphs of a Markdown text; what is fenced stays whole. */
function blocksOf(body: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fenced = false;
  const end = (): void => {
    const block = lines.join('\n').trim();
    if (block !== '' && block.length <= BLOCK_MAX) blocks.push(block);
    lines = [];
  };
  for (const line of body.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (line.trim() === '' && !fenced) end();
    else lines.push(line);
  }
  if (!fenced) end();
  return blocks;
}

function mostOfOneWord(text: string): number {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Body `n` of `count`: the paragraphs from its place among all of them on. */
function bodyFrom(blocks: readonly string[], start: number): string {
  let body = '';
  for (let i = 0; body.length < BODY_LEAST && i < blocks.length; i++) {
    const block = blocks[(start + i) % blocks.length] as string;
    const longer = body === '' ? block : `${body}\n\n${block}`;
    if (longer.length <= BODY_MOST && mostOfOneWord(longer) <= SAME_WORD_MOST) body = longer;
  }
  return body;
}

/** Three words in a row of each paragraph of prose, as the first or the second half of a title. */
function phrasesOf(blocks: readonly string[], from: number): string[] {
  const phrases = new Map<string, string>();
  for (const block of blocks) {
    if (!/^[A-Z]/.test(block)) continue;
    const words = block.slice(0, 400).match(/[A-Za-z]{2,14}/g) ?? [];
    const phrase = words.slice(from, from + 3).join(' ');
    if (words.length >= from + 3) phrases.set(slugify(phrase), phrase);
  }
  return [...phrases.values()];
}

/** Words that are on nearly every page say nothing as a tag. */
const TOO_COMMON = 40;
const TAGS = 500;

function tagsOf(blocks: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const block of blocks) {
    for (const [word] of block.matchAll(/\b[a-z]{4,12}\b/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
  return words.slice(TOO_COMMON, TOO_COMMON + TAGS);
}

const sentencesOf = (blocks: readonly string[]): string[] =>
  blocks.filter((block) => /^[A-Z][^<>[\]`]{30,600}$/.test(block) && !block.includes('http'));

/** Cuts `count` bodies and all the rest out of these texts. */
export function materialOf(texts: readonly string[], count: number): Material {
  const blocks = texts.flatMap(blocksOf);
  const starts = Array.from({ length: count }, (_, n) => Math.floor((n * blocks.length) / count));
  return {
    bodies: starts.map((start) => bodyFrom(blocks, start)),
    openings: phrasesOf(blocks, 0),
    endings: phrasesOf(blocks, 4),
    tags: tagsOf(blocks),
    sentences: sentencesOf(blocks),
  };
}
