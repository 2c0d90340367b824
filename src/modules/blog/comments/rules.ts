import { createHash } from 'node:crypto';
import { invalid } from '../../../contracts/errors.ts';

/** What a comment is on the wire (interface.md §2.3). */
export const COMMENT_STATUSES = ['VISIBLE', 'HIDDEN'] as const;
export type CommentStatus = (typeof COMMENT_STATUSES)[number];
/** As stored: a deleted comment stays as an empty row, under which its replies are listed. */
export type StoredStatus = CommentStatus | 'DELETED';

/** Longest comment, and longest reason of a report or a decision. Characters (contract: "Blog", limits). */
export const COMMENT_MAX = 4000;
export const REASON_MAX = 1000;

/**
 * Deepest nesting; a top comment is on level 1. A page nests two JSON levels per comment and two of its own, and widely
 * used parsers stop at 64 (.NET's default). A reply to a comment on this level is listed beside it.
 */
export const MAX_LEVEL = 30;

/** Replies on a page of comments; see `sharedCap`. Bounds the bytes that one request can make the service read. */
export const REPLIES_PER_PAGE = 1000;

/** Something to read: not only white space, control, formatting and other unseen characters, nor the empty pattern of Braille. */
const READABLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\s\u2800]/u;

/** A text without white space around it. Throws VALIDATION_ERROR naming `path` unless it has 1..`max` characters then. */
export function cleanText(text: string, max: number, path: string): string {
  const trimmed = text.trim();
  if (!READABLE.test(trimmed)) throw invalid({ path, message: 'must not be empty' });
  // Shorter in UTF-16 units is shorter in characters too; so a megabyte is not spread out to be counted.
  const tooLong = trimmed.length > 2 * max || (trimmed.length > max && Array.from(trimmed).length > max);
  if (tooLong) throw invalid({ path, message: `must NOT have more than ${max} characters` });
  return trimmed;
}

/** Accents of European scripts, and marks that are drawn around or through any letter. */
const ACCENTS = /[\u0300-\u036f]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/gu;
/** Also those that only choose the look of a letter, and fillers of places where none is. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The form in which texts are compared: without differences of case, width, accents, spacing and unseen characters. Only
 * the accents of European scripts: the marks of others tell words apart. The empty pattern of Braille reads as a space.
 */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(ACCENTS, '')
    .replaceAll(UNSEEN, '')
    .replaceAll(/[\s\u2800]+/g, ' ')
    .trim();

/** The same for texts that read alike. */
export const textKey = (text: string): string => createHash('sha256').update(foldText(text)).digest('base64url');

/** Where a reply is nested: below the comment that it answers, or beside it when that is as deep as it goes. */
export const pathBelow = (parent: { id: string; path: readonly string[] }): string[] =>
  parent.path.length + 1 < MAX_LEVEL ? [...parent.path, parent.id] : [...parent.path];

/**
 * How many replies each thread of a page shows at most: the largest number with which all of them together stay within
 * `budget`. Short threads are whole, and the long ones share what is left evenly.
 */
export function sharedCap(replyCounts: readonly number[], budget: number): number {
  let left = budget;
  const ascending = replyCounts.toSorted((a, b) => a - b);
  for (const [i, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - i));
    if (count > share) return share;
    left -= count;
  }
  return budget;
}
