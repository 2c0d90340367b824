import { Command } from 'commander';
import { exportMarkdown, exportNdjson } from './export-posts.ts';
import { readExport, readPosts } from './read-export.ts';
import { printable, progressLine, serviceOf, type ServiceOptions, withService } from './options.ts';

async function toMarkdown(folder: string, options: ServiceOptions, command: Command): Promise<number> {
  const service = await serviceOf(command, options);
  const line = progressLine('posts');
  const result = await exportMarkdown(readPosts(service), folder, {
    progress: line.show,
    failed: (reason) => console.log(printable(`failed    ${reason}`)),
  }).finally(line.end);
  const { written, unchanged, failed, others } = result;
  for (const name of others) console.log(printable(`left      ${name}: no post of this blog any more`));
  console.log(`${written} written, ${unchanged} unchanged, ${failed} failed, ${others.length} other files left`);
  return failed > 0 ? 1 : 0;
}

async function toNdjson(file: string, options: ServiceOptions, command: Command): Promise<number> {
  const service = await serviceOf(command, options);
  const line = progressLine('posts');
  const to = file === '-' ? process.stdout : file;
  const { posts, comments } = await exportNdjson(readExport(service), to, line.show).finally(line.end);
  console.error(`${posts} posts and ${comments} comments written`);
  return 0;
}

const READ_BACK = '"posthorn import" reads it back, here or elsewhere; a post keeps its id.';

/** `posthorn export …`. The exit code is given to `exit`. */
export function exportCommand(exit: (code: number) => void): Command {
  const markdown = withService(new Command('markdown').argument('<folder>', 'made when it is not there'))
    .description('Write one Markdown file for each post, named by its slug; drafts without one by their id.')
    .addHelpText(
      'after',
      `
Everything of a post but its counters, comments and revisions. ${READ_BACK}
Files of posts that are gone are left, and told of.`,
    )
    .action(async (folder: string, options: ServiceOptions, self: Command) =>
      exit(await toMarkdown(folder, options, self)),
    );
  const ndjson = withService(new Command('ndjson').argument('<file>', 'or - for standard output'))
    .description('Write all posts and comments into one file, a JSON object in each line.')
    .addHelpText('after', `\nEverything of a post but its counters, likes, reports and revisions. ${READ_BACK}`)
    .action(async (file: string, options: ServiceOptions, self: Command) => exit(await toNdjson(file, options, self)));
  return new Command('export').description('Take all posts out.').addCommand(markdown).addCommand(ndjson);
}
