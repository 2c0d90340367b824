import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ImportItem, ImportResult } from '../../modules/blog/index.ts';
import { type ReadItem, UnreadableFile } from './formats/fit.ts';
import type { OpenFile } from './formats/foreign-post.ts';
import type { OldList } from './formats/old-lists.ts';
import { readGhost } from './formats/read-ghost.ts';
import { readMarkdown } from './formats/read-markdown.ts';
import { readNdjson } from './formats/read-ndjson.ts';
import { readWordPress } from './formats/read-wordpress.ts';
import { Failure, wrongUse } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { printable } from '../output/printable.ts';
import { printJson, remark } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import type { SlugsOf } from './formats/imported-files.ts';
import { connectAsEditor, type EditorOptions } from './editor.ts';
import { type ReportedItem, type SendBatch, sendPosts, type Totals } from './send-posts.ts';

export interface ImportOptions extends EditorOptions {
  name?: string;
  category?: string;
  site?: string;
  dryRun?: boolean;
  verbose?: boolean;
}

interface Input {
  items: AsyncIterable<ReadItem>;
  /** What there is besides, and is never told of by itself: "2 attachments". */
  besides?: string;
  /** Whether it is known, at the end, that there are no posts, so that it is no failure. */
  mayBeEmpty?: () => boolean;
  /** Absent where it is not known before the end. */
  total?: number;
  /** Categories and tags whose old addresses nothing here leads on from. */
  lists?: readonly OldList[];
}
type Read = (path: string, options: ImportOptions, slugsOf: SlugsOf) => Promise<Input>;

/** For one request of many posts. Milliseconds. */
const TIMEOUT_MS = 60_000;

const opener =
  (path: string): OpenFile =>
  () =>
    createReadStream(path);

function lineOf({ source, outcome, reason, slug, notes, comments }: ReportedItem): string {
  const about = [
    ...(reason === null ? [] : [reason]),
    ...notes,
    ...(comments?.reason ? [`${comments.skipped} comments skipped: ${comments.reason}`] : []),
  ];
  const name = slug === null || reason !== null ? source : `${source} (${slug})`;
  return printable(`${outcome.padEnd(9)} ${name}${about.length > 0 ? `: ${about.join('; ')}` : ''}`);
}

/** An unchanged item's notes were told when it came in. */
const isTold = (item: ReportedItem, { verbose }: ImportOptions): boolean =>
  verbose === true ||
  item.reason !== null ||
  (item.outcome !== 'unchanged' && (item.notes.length > 0 || item.comments?.reason != null));

function totalOf({ comments, ...posts }: Totals, dryRun: boolean): string {
  const told = (['created', 'updated', 'unchanged', 'skipped', 'failed'] as const).map((o) => `${posts[o]} ${o}`);
  const { created, unchanged, skipped } = comments;
  const of = created + unchanged + skipped;
  return [
    told.join(', '),
    ...(of > 0 ? [`; comments: ${created} created, ${unchanged} unchanged, ${skipped} skipped`] : []),
    ...(dryRun ? [' (dry run: nothing was changed)'] : []),
  ].join('');
}

/** The slugs that posts get, by sending them so that nothing is changed. */
const askForSlugs =
  (path: string, rehearse: SendBatch): SlugsOf =>
  async (posts) => {
    const slugs = new Map<string, string>();
    const items = Readable.from(posts.map((post): ReadItem => ({ post, notes: [] })));
    await sendPosts(items, path, rehearse, {
      item({ source, slug }) {
        if (slug !== null) slugs.set(source, slug);
      },
    });
    return slugs;
  };

/** Counts what is a post, also one that cannot be read. */
class Counted {
  posts = 0;

  async *of(items: AsyncIterable<ReadItem>): AsyncGenerator<ReadItem> {
    for await (const item of items) {
      if ('post' in item || item.outcome === 'failed') this.posts++;
      yield item;
    }
  }
}

/** Why an import of nothing fails: "there is no post in export.xml (3 other items skipped, 2 attachments)". */
function nothingIn(path: string, skipped: number, besides: string | undefined): Failure {
  const items = skipped === 0 ? [] : [`${skipped} other ${skipped === 1 ? 'item' : 'items'} skipped`];
  const others = [...items, ...(besides === undefined ? [] : [besides])];
  return new Failure(`there is no post in ${path}${others.length > 0 ? ` (${others.join(', ')})` : ''}`);
}

async function run(read: Read, path: string, options: ImportOptions): Promise<number> {
  const dryRun = options.dryRun === true;
  const place = read === FORMATS.ndjson && path === '-' ? 'standard input' : path;
  const { client } = await connectAsEditor(options);
  const send = async (posts: ImportItem[], isRehearsal = dryRun): Promise<ImportResult[]> =>
    (await client.importPosts({ body: { posts, dryRun: isRehearsal } }, { timeoutMs: TIMEOUT_MS })).data;
  const slugsOf = askForSlugs(path, (posts) => send(posts, true));
  const input = await read(path, options, slugsOf).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableFile(`cannot read ${place}: ${error.message}; nothing was imported`);
  });
  const items: ReportedItem[] = [];
  const counted = new Counted();
  const line = progressLine('posts', input.total);
  let done = 0;
  const totals = await sendPosts(counted.of(input.items), place, (posts) => send(posts), {
    item(item) {
      if (options.json) items.push(item);
      else if (isTold(item, options)) {
        line.end();
        console.log(lineOf(item));
      }
    },
    progress(count) {
      done = count;
      line.show(count);
    },
  })
    .catch((error: unknown) => {
      line.end();
      if (interruption.aborted) remark(`Interrupted: ${done} posts are done. Run it again to go on.`);
      throw error;
    })
    .finally(line.end);
  const { lists = [], besides, mayBeEmpty } = input;
  if (options.json) printJson({ ...totals, items, lists });
  if (counted.posts === 0 && totals.failed === 0 && mayBeEmpty?.() !== true)
    throw nothingIn(place, totals.skipped, besides);
  if (!options.json) console.log(totalOf(totals, dryRun));
  if (lists.length > 0 && !options.json)
    remark(
      `Categories and tags whose old address needs a rule of the proxy: ${lists.length} (--json lists them; see docs/site.md, "In place of another system").`,
    );
  return totals.failed > 0 ? 1 : 0;
}

async function need(kind: 'file' | 'folder', path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  const fits = kind === 'folder' ? found?.isDirectory() : found && !found.isDirectory();
  if (!fits) throw wrongUse(`there is no ${kind} ${path}`);
}

/** A name without its ending. */
const nameOf = (path: string): string => basename(resolve(path)).replace(/\.\w+$/, '');

const foreign = ({ category = 'Blog', site, name }: ImportOptions) => ({ category, site, name });

/** How each format is read. */
const FORMATS = {
  markdown: (path, { name }, slugsOf) => readMarkdown(path, name ?? basename(resolve(path)), slugsOf),
  ghost: (path, options) => readGhost(opener(path), { ...foreign(options), name: options.name ?? 'ghost' }),
  wordpress: (path, options) => readWordPress(opener(path), foreign(options)),
  async ndjson(path, { name }) {
    const chunks: AsyncIterable<Uint8Array> = path === '-' ? process.stdin : createReadStream(path);
    let isEmpty = false;
    const items = readNdjson(chunks, name ?? (path === '-' ? 'stdin' : nameOf(path)), () => (isEmpty = true));
    return { items, mayBeEmpty: () => isEmpty };
  },
} satisfies Record<string, Read>;

export type Format = keyof typeof FORMATS;

/** Imports a file or folder, and tells of it; gives the exit code. */
export async function runImport(format: Format, path: string, options: ImportOptions): Promise<number> {
  const isPiped = path === '-' && format === 'ndjson';
  if (isPiped && options.passwordStdin) throw wrongUse('standard input is the posts, so it cannot be the password');
  if (!isPiped) await need(format === 'markdown' ? 'folder' : 'file', path);
  return run(FORMATS[format], path, options);
}
