import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { ImportItem } from '../modules/blog/index.ts';
import { type FileResult, type ImportReport, importMarkdown } from './import-markdown.ts';
import { Service, signIn } from './service.ts';

interface Options {
  url: string;
  token?: string;
  email?: string;
  password?: string;
  name?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Rewrites one line of a terminal; says nothing where stderr is none. */
function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${done} of ${total} posts${done === total ? '\n' : ''}`);
}

/** Names of files come from elsewhere: control characters would reach the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');

function printReport(report: ImportReport, dryRun: boolean): void {
  for (const { source, outcome, reason, notes } of report.files) {
    if (outcome === 'skipped') console.log(printable(`skipped ${source}: ${reason ?? ''}`));
    // An unchanged file was told of when it came in.
    else if (outcome !== 'unchanged' && notes.length > 0)
      console.log(printable(`note    ${source}: ${notes.join('; ')}`));
  }
  const { created, updated, unchanged, skipped } = report;
  const total = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped`;
  console.log(dryRun ? `${total} (dry run: nothing was changed)` : total);
}

async function serviceOf(command: Command, { url, token, email, password }: Options): Promise<Service> {
  if (token !== undefined) return new Service(url, token);
  if (email === undefined || password === undefined) {
    command.error('error: --token, or --email and --password of an editor, are needed');
  }
  return signIn(url, email, password);
}

async function run(folder: string, options: Options, command: Command): Promise<number> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) command.error(`error: there is no folder ${folder}`);
  const service = await serviceOf(command, options);
  const dryRun = options.dryRun === true;
  const send = async (posts: ImportItem[]): Promise<FileResult[]> =>
    (await service.post<{ data: FileResult[] }>('/v1/blog/manage/import', { posts, dryRun })).data;
  const report = await importMarkdown(folder, options.name, send, showProgress);
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else printReport(report, dryRun);
  return report.skipped > 0 ? 1 : 0;
}

/** `posthorn import …`. The exit code is given to `exit`. */
export function importCommand(exit: (code: number) => void): Command {
  const markdown = new Command('markdown')
    .description('Import the .md and .mdx files below a folder. Safe to run again.')
    .argument('<folder>', 'folder of Markdown files with YAML front matter')
    .addOption(new Option('--url <address>', 'address of the service').default('http://127.0.0.1:3000').env('PH_URL'))
    .addOption(new Option('--token <token>', "an editor's access token").env('PH_TOKEN'))
    .addOption(new Option('--email <email>', 'sign in as this editor').env('PH_EMAIL'))
    .addOption(new Option('--password <password>', 'with this password').env('PH_PASSWORD'))
    .option('--name <name>', "what the folder is known by on the next run (default: the folder's own name)")
    .option('--dry-run', 'say what would be done, change nothing')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
Front matter read: title, date, category, author, tags, slug, excerpt (or description), image, imageAlt, updated,
featured, draft. Without title the first heading or the file's name is taken, without category the folder's name,
without slug the file's name. Without date the post is imported as a draft.

A file that has not changed is left alone; so is a post that was edited or deleted in Posthorn since (skipped).`,
    )
    .action(async (folder: string, options: Options, command: Command) => exit(await run(folder, options, command)));
  return new Command('import').description('Bring posts in from elsewhere.').addCommand(markdown);
}
