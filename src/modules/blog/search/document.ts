import { foldCase } from '../../../lib/fold-case.ts';
import { excerptOf } from '../../../lib/markdown-text.ts';
import type { NewPost } from '../post.ts';
import { periodsOf } from './periods.ts';
import { foldText, isUnspaced, pairsOf, partsOf, rootOf, wordsOf } from './tokens.ts';

/** Raised when posts are to be indexed anew: what is stored under another number is brought up to date by `upkeep`. */
export const INDEX_VERSION = 4;

/** Words of the body that can be found; PostgreSQL counts positions to 16,383. */
const BODY_WORDS = 16_000;
/** Of the body, only this much is read: 16,000 words of a text are shorter. UTF-16 units. */
const BODY_CHARS = 400_000;
/** A lexeme keeps this many positions; PostgreSQL would keep 255. */
const POSITIONS = 100;
/**
 * Words of the body are left out from this size on: PostgreSQL refuses a vector of more than 1,048,575 bytes. What is
 * searched besides the words (`marksOf`, `titleOf`) takes 20 kB at most.
 */
const BYTES_MAX = 900_000;
/** No phrase reaches from one field, or one tag, into the next. */
const GAP = 10;

/** Weights of PostgreSQL's ranking: A title, B tags, C excerpt, D body. */
type Weight = 'A' | 'B' | 'C' | 'D';

/** What of a post is searched or filtered by. */
export type Searchable = Pick<NewPost, 'title' | 'tags' | 'excerpt' | 'body' | 'category' | 'featured' | 'authorId'> &
  Pick<NewPost, 'publishedAt' | 'archivedAt' | 'createdAt'>;

/** Lexemes that are no words: they begin with `=` or `^`, which no word does. */
export const MARK = {
  public: '=public',
  draft: '=draft',
  archived: '=archived',
  featured: '=featured',
  plain: '=plain',
  author: (id: string) => `=author:${id}`,
  category: (key: string) => `=category:${key}`,
  tag: (key: string) => `=tag:${key}`,
  /** A lexeme that is in the title. */
  title: (lexeme: string) => `^${lexeme}`,
  /** Two words that follow each other in the title. */
  titlePair: ([one, next]: readonly [string, string]) => `^${one} ${next}`,
} as const;

/** A lexeme as it is written in the text form of tsvector and tsquery. */
export const quoted = (lexeme: string): string => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

class Vector {
  readonly #lexemes = new Map<string, string[]>();
  #at = 0;
  /** As PostgreSQL stores it, or a little more. */
  #bytes = 0;

  #put(lexeme: string, at: number, weight: Weight): void {
    const known = this.#lexemes.get(lexeme);
    if (known && known.length >= POSITIONS) return;
    // The text, padding and the number of places; two bytes for each place.
    this.#bytes += known ? 2 : Buffer.byteLength(lexeme) + 5;
    if (known) known.push(`${at}${weight}`);
    else this.#lexemes.set(lexeme, [`${at}${weight}`]);
  }

  /** A word with its root and, for a compound, its parts with theirs at the places after it; `chainOf` says what of two in a row. */
  #word(word: string, before: string, weight: Weight): void {
    this.#at += 1;
    if (word === '') return;
    this.#putWithRoot(word, weight);
    if (isUnspaced(word) && isUnspaced(before)) this.#put(before + word, this.#at - 1, weight);
    for (const [i, part] of partsOf(word).entries()) {
      if (i > 0) this.#at += 1;
      this.#putWithRoot(part, weight);
    }
  }

  #putWithRoot(word: string, weight: Weight): void {
    this.#put(word, this.#at, weight);
    const root = rootOf(word);
    if (root !== word) this.#put(root, this.#at, weight);
  }

  add(text: string, weight: Weight): this {
    let before = '';
    for (const word of wordsOf(foldText(text))) {
      if (this.#at >= BODY_WORDS || this.#bytes >= BYTES_MAX) break;
      this.#word(word, before, weight);
      before = word;
    }
    this.#at += GAP;
    return this;
  }

  mark(lexemes: readonly string[]): this {
    for (const lexeme of lexemes) this.#lexemes.set(lexeme, []);
    return this;
  }

  /** In the text form of tsvector. */
  toString(): string {
    return [...this.#lexemes]
      .map(([lexeme, places]) => (places.length === 0 ? quoted(lexeme) : `${quoted(lexeme)}:${places.join(',')}`))
      .join(' ');
  }

  words(): string[] {
    return [...this.#lexemes.keys()];
  }
}

/** The words of a Markdown text that a reader sees: addresses and tags are left out, code is not. Linear. */
const bodyText = (body: string): string =>
  body
    .slice(0, BODY_CHARS)
    .replaceAll(/\]\([^()\s]*/g, '] ')
    .replaceAll(/https?:\/\/[^\s<>()"'\]]+/g, ' ')
    .replaceAll(/<\/?[a-zA-Z][^<>\n]{0,1000}>/g, ' ');

const head = (post: Searchable): Vector => {
  const vector = new Vector().add(post.title ?? '', 'A');
  for (const tag of post.tags) vector.add(tag, 'B');
  return vector.add(post.excerpt === '' ? excerptOf(post.body) : post.excerpt, 'C');
};

/** The words of the title, and each two that follow each other, so that a phrase is found there by the index alone. */
function titleOf({ title }: Searchable): string[] {
  const words = [...wordsOf(foldText(title ?? ''))];
  const inRow = words.flatMap((word) => (partsOf(word).length > 0 ? partsOf(word) : word));
  const alone = new Vector().add(title ?? '', 'A').words();
  return [...alone.map(MARK.title), ...pairsOf(inRow).map(MARK.titlePair)];
}

function marksOf(post: Searchable): string[] {
  const state = post.publishedAt === null ? MARK.draft : post.archivedAt === null ? MARK.public : MARK.archived;
  return [
    state,
    post.featured ? MARK.featured : MARK.plain,
    MARK.author(post.authorId),
    ...(post.category === null ? [] : [MARK.category(foldCase(post.category))]),
    ...post.tags.map((tag) => MARK.tag(foldCase(tag))),
    // Of public posts only, so that a search among the newest need not ask for the state, which is in every entry.
    ...(state === MARK.public ? periodsOf(orderedAt(post)) : []),
  ];
}

/** The time by which matches are the newest: of publication, or of creation for what was never given one. */
export const orderedAt = (post: Pick<Searchable, 'publishedAt' | 'createdAt'>): Date =>
  post.publishedAt ?? post.createdAt;

/** The search document of a post: everything (with the title once more, see `MARK`), and title, tags and excerpt alone, as texts of tsvector. */
export function documentOf(post: Searchable): { document: string; head: string } {
  return {
    document: head(post)
      .add(bodyText(post.body), 'D')
      .mark([...marksOf(post), ...titleOf(post)])
      .toString(),
    head: head(post).toString(),
  };
}

/** Words that a misspelt or unfinished word of a query may stand for: those of the head, and the plain ones of the body. */
export function vocabularyOf(post: Searchable): { head: string[]; body: string[] } {
  const plain = (word: string): boolean => /^\p{L}{3,24}$/u.test(word);
  const inHead = new Set<string>();
  const texts = [post.title ?? '', ...post.tags, post.excerpt === '' ? excerptOf(post.body) : post.excerpt];
  for (const text of texts) for (const word of wordsOf(foldText(text))) if (word.length > 1) inHead.add(word);
  const inBody = new Set<string>();
  for (const word of wordsOf(foldText(bodyText(post.body)))) {
    if (inBody.size >= 5000) break;
    if (plain(word) && !inHead.has(word)) inBody.add(word);
  }
  return { head: [...inHead], body: [...inBody] };
}
