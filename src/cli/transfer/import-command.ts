import { Command } from 'commander';
import { action } from '../action.ts';
import { webAddress } from '../output/arguments.ts';
import { withEditor } from './editor.ts';
import type { Format, ImportOptions } from './run-import.ts';

const RULES = `
Safe to run again, also after Ctrl-C: what has not changed is left alone, and so is a post that was edited or deleted in
Posthorn since (skipped). Exit code 1: some items failed, or there is no post. --json prints a report of every item.`;

/** `posthorn import …`, and `posthorn posts import …`. */
export function importCommand(): Command {
  const command = (name: Format, argument: 'file' | 'folder'): Command =>
    withEditor(new Command(name).argument(`<${argument}>`))
      .option('--dry-run', 'say what would be done, change nothing')
      .option('--verbose', 'tell of every item, also of those without a remark')
      .action(
        action<ImportOptions, [path: string]>(async (options, path) =>
          (await import('./run-import.ts')).runImport(name, path, options),
        ),
      );
  const markdown = command('markdown', 'folder')
    .description('Import the .md, .mdx and .markdown files below a folder.')
    .option('--name <name>', "what the folder is known by on the next run (default: the folder's own name)")
    .addHelpText(
      'after',
      `
Front matter (YAML, TOML or JSON) read: title, date, category, author, tags, slug, excerpt (or description), image,
imageAlt, updated, featured, draft; permalink, aliases and redirect_from of Hugo and Jekyll, by their last parts. Without
title the first heading or the file's name is taken, without category the folder's name, without slug the file's name,
less its date. Without date the post is imported as a draft. Files of "posthorn export markdown" come back exactly as
they were.
${RULES}`,
    );
  const ghost = command('ghost', 'file')
    .description('Import the JSON export of a Ghost blog.')
    .option('--site <address>', 'address of the old blog, for the addresses that the export leaves out', webAddress)
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
  const wordpress = command('wordpress', 'file')
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
  const ndjson = command('ndjson', 'file')
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
