import { foldText } from '../comments/rules.ts';

/** What holds new comments back until a moderator has seen them. */
export interface HoldSettings {
  preModeration: boolean;
  /** More links than this are held. */
  maxLinks: number;
  /** How long a text of the same author counts as a repeat; 0: never. Seconds. */
  repeatSeconds: number;
  blockedWords: readonly string[];
}

export interface Held {
  rule: 'blocked_word' | 'too_many_links' | 'repeated_text' | 'pre_moderation';
  /** For moderators. */
  reason: string;
}

/** Addresses in a text: those with a protocol, and those that begin with `www.`. */
const countLinks = (text: string): number => text.match(/(?:https?:\/\/|www\.)[^\s]/gi)?.length ?? 0;

/** Scripts written without spaces between words: there a word may stand anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const IN_WORD = /[\p{L}\p{N}]/u;

/** What many write under many posts (“Thanks for the article!”) is shorter; in scripts without spaces it takes fewer. Characters. */
const COURTESY_MAX = { spaced: 30, unspaced: 10 };
/** What leads somewhere: an address without its protocol, an e-mail address or a name at some service, a figure of a telephone. */
const LEADS_AWAY = /[@/\p{N}]|\.\p{L}/u;

/**
 * Whether a text is so short, and leads nowhere, that one person may well write it under several posts: it is a repeat
 * under the same post only.
 */
export function isCourtesy(body: string): boolean {
  const most = UNSPACED.test(body) ? COURTESY_MAX.unspaced : COURTESY_MAX.spaced;
  return !LEADS_AWAY.test(body) && Array.from(foldText(body)).length < most;
}

/** The character of a text that ends before, or begins at, a position; '' outside of it. */
const before = (text: string, at: number): string => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
const from = (text: string, at: number): string => Array.from(text.slice(at, at + 2))[0] ?? '';

/** Whether two neighbouring characters may be the end of one word and the beginning of another. */
const boundary = (inner: string, outer: string): boolean =>
  !IN_WORD.test(inner) || !IN_WORD.test(outer) || UNSPACED.test(inner);

/** Whether a folded text holds a word or phrase as such: `ass` is not in `class`, but `ass*` is in `assume`. */
function holds(text: string, entry: string): boolean {
  const word = foldText(entry.replaceAll('*', ''));
  if (word === '') return false;
  const [openLeft, openRight] = [entry.startsWith('*'), entry.endsWith('*')];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const left = openLeft || boundary(from(word, 0), before(text, at));
    const right = openRight || boundary(before(word, word.length), from(text, end));
    if (left && right) return true;
  }
  return false;
}

/** Why a new comment waits for a moderator: the first rule that it meets, or null. Pure. */
export function holdReason(body: string, repeats: boolean, settings: HoldSettings): Held | null {
  const folded = foldText(body);
  const word = settings.blockedWords.find((entry) => holds(folded, entry));
  if (word !== undefined) return { rule: 'blocked_word', reason: `Holds “${word}”, which is blocked.` };
  const links = countLinks(body);
  if (links > settings.maxLinks) {
    return { rule: 'too_many_links', reason: `Holds ${links} links; ${settings.maxLinks} are allowed.` };
  }
  if (repeats) return { rule: 'repeated_text', reason: 'The same author has written the same lately.' };
  if (settings.preModeration) return { rule: 'pre_moderation', reason: 'Every comment waits for a moderator.' };
  return null;
}
