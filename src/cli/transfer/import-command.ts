import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import type { ImportItem, ImportResult } from '../../modules/blog/index.ts';
import { type ReadItem, UnreadableFile } from './formats/fit.ts';
import type { OpenFile } from './formats/foreign-post.ts';
import { readGhost } from './formats/read-ghost.ts';
import { readMarkdown } from './formats/read-markdown.ts';
import { readNdjson } from './formats/read-ndjson.ts';
import { readWordPress } from './formats/read-wordpress.ts';
import { action } from '../action.ts';
import { wrongUse } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { printable } from '../output/printable.ts';
import { printJson, remark } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import { connectAsEditor, type EditorOptions, withEditor } from './editor.ts';
import { type ReportedItem, sendPosts, type Totals } from './send-posts.ts';

interface Options extends EditorOptions {
  name?: string;
  category?: string;
  site?: string;
  dryRun?: boolean;
  verbose?: boolean;
}

interface Input {
  items: AsyncIterable<ReadItem>;
  /** Absent where it is not known before the end. */
  total?: number;
}
type Read = (path: string, options: Options) => Promise<Input>;

const RULES = `
Safe to run again, also after Ctrl-C: what has not changed is left alone, and so is a post that was edited or deleted in
Posthorn since (skipped). Exit code 1: some items failed. --json prints a report of every item.`;

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
const isTold = (item: ReportedItem, { verbose }: Options): boolean =>
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

async function run(read: Read, path: string, options: Options): Promise<number> {
  const dryRun = options.dryRun === true;
  const { client } = await connectAsEditor(options);
  const input = await read(path, options).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableFile(`cannot read ${path}: ${error.message}; nothing was imported`);
  });
  const send = async (posts: ImportItem[]): Promise<ImportResult[]> =>
    (await client.importPosts({ body: { posts, dryRun } }, { timeoutMs: TIMEOUT_MS })).data;
  const items: ReportedItem[] = [];
  const line = progressLine('posts', input.total);
  let done = 0;
  const totals = await sendPosts(input.items, path, send, {
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
  if (options.json) printJson({ ...totals, items });
  else console.log(totalOf(totals, dryRun));
  return totals.failed > 0 ? 1 : 0;
}

async function need(kind: 'file' | 'folder', path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  const fits = kind === 'folder' ? found?.isDirectory() : found && !found.isDirectory();
  if (!fits) throw wrongUse(`there is no ${kind} ${path}`);
}

/** A name without its ending. */
const nameOf = (path: string): string => basename(resolve(path)).replace(/\.\w+$/, '');

/** `posthorn import …`, and `posthorn posts import …`. */
export function importCommand(): Command {
  const command = (name: string, kind: 'file' | 'folder', read: Read): Command =>
    withEditor(new Command(name).argument(`<${kind}>`))
      .option('--dry-run', 'say what would be done, change nothing')
      .option('--verbose', 'tell of every item, also of those without a remark')
      .action(
        action<Options, [path: string]>(async (options, path) => {
          if (path !== '-' || name !== 'ndjson') await need(kind, path);
          return run(read, path, options);
        }),
      );
  const foreign = ({ category = 'Blog', site, name }: Options) => ({ category, site, name });

  const markdown = command('markdown', 'folder', (path, { name }) =>
    readMarkdown(path, name ?? basename(resolve(path))),
  )
    .description('Import the .md and .mdx files below a folder.')
    .option('--name <name>', "what the folder is known by on the next run (default: the folder's own name)")
    .addHelpText(
      'after',
      `
Front matter read: title, date, category, author, tags, slug, excerpt (or description), image, imageAlt, updated,
featured, draft. Without title the first heading or the file's name is taken, without category the folder's name,
without slug the file's name. Without date the post is imported as a draft. Files of "posthorn export markdown" come
back exactly as they were.
${RULES}`,
    );
  const ghost = command('ghost', 'file', (path, options) =>
    readGhost(opener(path), { ...foreign(options), name: options.name ?? 'ghost' }),
  )
    .description('Import the JSON export of a Ghost blog.')
    .option('--site <address>', 'address of the old blog, for the addresses that the export leaves out')
    .option('--category <name>', 'category of posts without a tag', 'Blog')
    .option('--name <name>', 'what the blog is known by on the next run (default: ghost)')
    .addHelpText(
      'after',
      `
Posts with their tags, dates, authors, images and SEO fields; the primary tag is the category. HTML becomes Markdown.
Comments come along where the export holds them. Pages are skipped; posts for members only, and those sent by e-mail
only, become drafts.
${RULES}`,
    );
  const wordpress = command('wordpress', 'file', (path, options) => readWordPress(opener(path), foreign(options)))
    .description('Import the XML export (WXR) of a WordPress blog.')
    .option('--category <name>', 'category of posts without one', 'Blog')
    .option('--name <name>', "what the blog is known by on the next run (default: the site's host)")
    .addHelpText(
      'after',
      `
Posts with categories (the first one; further ones are tags), tags, authors, dates, old slugs, the featured image with
its text, and comments. HTML becomes Markdown. Pages, other types and the trash are skipped; private posts, those with
a password and those waiting for review become drafts.
${RULES}`,
    );
  const ndjson = command('ndjson', 'file', async (path, { name }) => {
    const chunks: AsyncIterable<Uint8Array> = path === '-' ? process.stdin : createReadStream(path);
    return { items: readNdjson(chunks, name ?? (path === '-' ? 'stdin' : nameOf(path))) };
  })
    .description('Import a file of "posthorn export ndjson", or standard input (-).')
    .option('--name <name>', 'known by on the next run, for lines without id and source (default: name of the file)')
    .addHelpText('after', RULES);

  return new Command('import')
    .description('Bring posts in from elsewhere.')
    .addCommand(markdown)
    .addCommand(ghost)
    .addCommand(wordpress)
    .addCommand(ndjson);
}
