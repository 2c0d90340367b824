import { Command } from 'commander';
import { exportMarkdown, exportNdjson } from './export-posts.ts';
import { readExport, readPosts } from './read-export.ts';
import { action } from '../action.ts';
import { printable } from '../output/printable.ts';
import { printJson } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import { connectAsEditor, type EditorOptions, withEditor } from './editor.ts';

async function toMarkdown(folder: string, options: EditorOptions): Promise<number> {
  const { client } = await connectAsEditor(options);
  const line = progressLine('posts');
  const result = await exportMarkdown(readPosts(client), folder, {
    progress: line.show,
    failed: (reason) => (options.json ? console.error : console.log)(printable(`failed    ${reason}`)),
  }).finally(line.end);
  const { written, unchanged, failed, others } = result;
  if (options.json) {
    printJson(result);
    return failed > 0 ? 1 : 0;
  }
  for (const name of others) console.log(printable(`left      ${name}: no post of this blog any more`));
  console.log(`${written} written, ${unchanged} unchanged, ${failed} failed, ${others.length} other files left`);
  return failed > 0 ? 1 : 0;
}

async function toNdjson(file: string, options: EditorOptions): Promise<number> {
  const { client } = await connectAsEditor(options);
  const line = progressLine('posts');
  const to = file === '-' ? process.stdout : file;
  const { posts, comments } = await exportNdjson(readExport(client), to, line.show).finally(line.end);
  if (options.json && file !== '-') printJson({ posts, comments });
  else console.error(`${posts} posts and ${comments} comments written`);
  return 0;
}

const READ_BACK = '"posthorn import" reads it back, here or elsewhere; a post keeps its id.';

/** `posthorn export …`, and `posthorn posts export …`. */
export function exportCommand(): Command {
  const markdown = withEditor(new Command('markdown').argument('<folder>', 'made when it is not there'))
    .description('Write one Markdown file for each post, named by its slug; drafts without one by their id.')
    .addHelpText(
      'after',
      `
Everything of a post but its counters, comments and revisions. ${READ_BACK}
Files of posts that are gone are left, and told of.`,
    )
    .action(action<EditorOptions, [folder: string]>((options, folder) => toMarkdown(folder, options)));
  const ndjson = withEditor(new Command('ndjson').argument('<file>', 'or - for standard output'))
    .description('Write all posts and comments into one file, a JSON object in each line.')
    .addHelpText('after', `\nEverything of a post but its counters, likes, reports and revisions. ${READ_BACK}`)
    .action(action<EditorOptions, [file: string]>((options, file) => toNdjson(file, options)));
  return new Command('export').description('Take all posts out.').addCommand(markdown).addCommand(ndjson);
}
