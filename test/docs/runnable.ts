import { type Block, readPage } from './page.ts';

/** The blocks of a page that a test runs by itself, by language, in their order. */
export function blocksFor(page: string, runner: string): Block[] {
  const blocks = readPage(page).blocks.filter(({ attributes }) => attributes['run-by'] === runner);
  if (blocks.length === 0) throw new Error(`${page} has no block for ${runner}`);
  return blocks;
}

/** A text with names of its page put in terms of this machine. Throws where one is not in it: then the page has changed. */
export function placed(text: string, names: Readonly<Record<string, string>>): string {
  return Object.entries(names).reduce((done, [name, here]) => {
    if (!done.includes(name)) throw new Error(`the page does not say ${name}`);
    return done.replaceAll(name, here);
  }, text);
}
