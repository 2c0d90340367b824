import { exportMarkdown, exportNdjson } from './export-posts.ts';
import { readExport, readPosts } from './read-export.ts';
import { printable } from '../output/printable.ts';
import { printJson } from '../output/print.ts';
import { progressLine } from '../output/progress.ts';
import { connectAsEditor, type EditorOptions } from './editor.ts';

/** Writes a folder of Markdown; gives the exit code. */
export async function toMarkdown(folder: string, options: EditorOptions): Promise<number> {
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
  for (const name of others) console.log(printable(`left      ${name}: no post of this blog has this name any more`));
  console.log(`${written} written, ${unchanged} unchanged, ${failed} failed, ${others.length} other files left`);
  return failed > 0 ? 1 : 0;
}

/** Writes a file of NDJSON, or to standard output; gives the exit code. */
export async function toNdjson(file: string, options: EditorOptions): Promise<number> {
  const { client } = await connectAsEditor(options);
  const line = progressLine('posts');
  const to = file === '-' ? process.stdout : file;
  const { posts, comments } = await exportNdjson(readExport(client), to, line.show).finally(line.end);
  if (options.json && file !== '-') printJson({ posts, comments });
  else console.error(`${posts} posts and ${comments} comments written`);
  return 0;
}
