import { Command } from 'commander';
import { exportMarkdown, exportNdjson } from './export-posts.ts';
import { readExport } from './read-export.ts';
import { printable, progressLine, serviceOf, type ServiceOptions, withService } from './options.ts';

async function toMarkdown(folder: string, options: ServiceOptions, command: Command): Promise<number> {
  const service = await serviceOf(command, options);
  const line = progressLine('posts');
  const result = await exportMarkdown(readExport(service), folder, {
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
  const count = await exportNdjson(readExport(service), file === '-' ? process.stdout : file, line.show).finally(
    line.end,
  );
  console.error(`${count} posts written`);
  return 0;
}

const NOT_HELD = `
Everything of a post but its counters, comments and revisions. "posthorn import" reads it back, here or elsewhere; a
post keeps its id.`;

/** `posthorn export …`. The exit code is given to `exit`. */
export function exportCommand(exit: (code: number) => void): Command {
  const markdown = withService(new Command('markdown').argument('<folder>', 'made when it is not there'))
    .description('Write one Markdown file for each post, named by its slug; drafts without one by their id.')
    .addHelpText('after', `${NOT_HELD} Files of posts that are gone are left, and told of.`)
    .action(async (folder: string, options: ServiceOptions, self: Command) =>
      exit(await toMarkdown(folder, options, self)),
    );
  const ndjson = withService(new Command('ndjson').argument('<file>', 'or - for standard output'))
    .description('Write all posts into one file, a JSON object in each line.')
    .addHelpText('after', NOT_HELD)
    .action(async (file: string, options: ServiceOptions, self: Command) => exit(await toNdjson(file, options, self)));
  return new Command('export').description('Take all posts out.').addCommand(markdown).addCommand(ndjson);
}
