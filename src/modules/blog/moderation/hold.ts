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

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Letters of these, also those that several share (`ー`): there a word may stand anywhere. */
const ANYWHERE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const IN_WORD = /[\p{L}\p{N}]/u;
/** Of these scripts the marks are accents, of which folding takes most away; of others they are vowels and the like. */
const VOWELLED = /(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{L}/u;
/** What belongs to the letter before it. */
const MARK = /\p{M}/u;
/** Marks that are written or left out (Arabic and Hebrew vowels), or drawn around a letter: a word with them is the same. */
const LEFT_OUT = /^[\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\p{Me}]+/u;
/** So far is looked past marks. UTF-16 units. */
const MARKS_MAX = 16;

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

/** Whether a word may begin with a character at this position: not behind a letter, whose marks belong to it. */
function mayBegin(first: string, text: string, at: number): boolean {
  if (!IN_WORD.test(first) || ANYWHERE.test(first)) return true;
  if (!VOWELLED.test(first)) return !IN_WORD.test(before(text, at));
  const behind = text.slice(Math.max(0, at - MARKS_MAX), at).replace(/\p{M}+$/u, '');
  return !IN_WORD.test(before(behind, behind.length));
}

/** Whether a word may end with a letter, marks of its own aside, at this position: not ahead of another, nor of a mark that makes another of it. */
function mayEnd(last: string, text: string, end: number): boolean {
  if (!IN_WORD.test(last)) return true;
  const rest = text.slice(end, end + MARKS_MAX);
  const outer = from(VOWELLED.test(last) ? rest.replace(LEFT_OUT, '') : rest, 0);
  if (VOWELLED.test(last) && MARK.test(outer)) return false;
  return !IN_WORD.test(outer) || ANYWHERE.test(last);
}

/** Whether a folded text holds a word or phrase as such: `ass` is not in `class`, but `ass*` is in `assume`. */
function holds(text: string, entry: string): boolean {
  const word = foldText(entry.replaceAll('*', ''));
  if (word === '') return false;
  const letters = word.replace(/\p{M}+$/u, '');
  const [openLeft, openRight] = [entry.startsWith('*'), entry.endsWith('*')];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const left = openLeft || mayBegin(from(word, 0), text, at);
    const right = openRight || mayEnd(before(letters, letters.length), text, end);
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
