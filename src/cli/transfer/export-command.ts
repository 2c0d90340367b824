import { Command } from 'commander';
import { action } from '../action.ts';
import { type EditorOptions, withEditor } from './editor.ts';

const READ_BACK = '"posthorn import" reads it back, here or elsewhere; a post keeps its id.';

/** `posthorn export …`, and `posthorn posts export …`. */
export function exportCommand(): Command {
  const markdown = withEditor(new Command('markdown').argument('<folder>', 'made when it is not there'))
    .description('Write one Markdown file for each post, named by its slug; drafts without one by their id.')
    .addHelpText(
      'after',
      `
Everything of a post but its counters, comments and revisions. ${READ_BACK}
Files whose name no post has any more are left, and told of.`,
    )
    .action(
      action<EditorOptions, [folder: string]>(async (options, folder) =>
        (await import('./run-export.ts')).toMarkdown(folder, options),
      ),
    );
  const ndjson = withEditor(new Command('ndjson').argument('<file>', 'or - for standard output'))
    .description('Write all posts and comments into one file, a JSON object in each line.')
    .addHelpText('after', `\nEverything of a post but its counters, likes, reports and revisions. ${READ_BACK}`)
    .action(
      action<EditorOptions, [file: string]>(async (options, file) =>
        (await import('./run-export.ts')).toNdjson(file, options),
      ),
    );
  return new Command('export').description('Take all posts out.').addCommand(markdown).addCommand(ndjson);
}
