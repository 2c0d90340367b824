import { basename, dirname, extname } from 'node:path/posix';
import { readLooseDate } from '../../../lib/loose-date.ts';
import type { Referred } from './references.ts';

export interface Place {
  /** Relative to the imported folder, with '/'. */
  path: string;
  /** What the sources call that folder. */
  folder: string;
  /** Where the file lies, by the folder's own name. */
  at: string;
  /** The slug of the post that a reference means, as far as it is known. */
  referred?: Referred;
}

/** Whether a folder of this name is above the file, in Jekyll and Hexo at any depth. */
export const isIn = (name: '_posts' | '_drafts', at: string): boolean => `/${at}`.includes(`/${name}/`);

/** Where the post lies: the file, or of `index.md` in a folder, the folder. */
function placeOf(path: string): string {
  const isIndex = /^index$/i.test(basename(path, extname(path)));
  return isIndex && !['.', ''].includes(dirname(path)) ? dirname(path) : path;
}

/** The folder that says what the post is about: those of Jekyll that say only that it is a post (`_posts`) do not. */
export function folderOf(path: string, folder: string): string {
  const named = dirname(placeOf(path))
    .split('/')
    .findLast((name) => name !== '.' && !name.startsWith('_'));
  return named ?? (folder.startsWith('_') ? 'Blog' : folder);
}

/** The file's own name; of `index.md` in a folder, the folder's. */
export function nameOf(path: string): string {
  const place = placeOf(path);
  return basename(place, place === path ? extname(path) : '');
}

/** The date that Jekyll has before the name of a file, and the name without it. */
export function datedName(path: string): { date?: string; name: string } {
  const name = nameOf(path);
  const written = /^\d{4}-\d{1,2}-\d{1,2}(?=-.)/.exec(name)?.[0] ?? '';
  const date = readLooseDate(written);
  return date === undefined ? { name } : { date, name: name.slice(written.length + 1) };
}

/** The title that Jekyll makes of the name of a file. */
export const titleOfName = (path: string): string =>
  datedName(path)
    .name.split('-')
    .filter(Boolean)
    .map((word) => word.replace(/^./u, (letter) => letter.toUpperCase()))
    .join(' ');
