import { type RawBuilder, sql } from 'kysely';

/**
 * Settings of PostgreSQL that hold for one statement, by name. Names and values are of our own code: they go into the text of a
 * statement as they are.
 */
export type Settings = Readonly<Record<string, string | number>>;

/** Kysely has no way to hand them to the connection, so they travel in the statement's first comment. */
const SETTINGS = /^\s*\/\*with:((?:\w+=\w+,?)+)\*\/\s*/;

/** The statement with its settings before it; only for statements outside of transactions. Throws for what is no plain name or value. */
export function withSettings<T>(settings: Settings, statement: RawBuilder<T>): RawBuilder<T> {
  const pairs = Object.entries(settings).map((pair) => pair.join('='));
  const comment = `/*with:${pairs.join(',')}*/`;
  if (!SETTINGS.test(comment)) throw new TypeError(`no settings: ${comment}`);
  return sql<T>`${sql.raw(comment)} ${statement}`;
}

/** The settings of a statement, each as a SET of its transaction, and the statement without them; null: it has none. */
export function settingsOf(text: string): { sets: string[]; statement: string } | null {
  const [comment, list] = SETTINGS.exec(text) ?? [];
  if (comment === undefined || list === undefined) return null;
  const sets = list.split(',').map((pair) => `set local ${pair.replace('=', ' = ')}`);
  return { sets, statement: text.slice(comment.length) };
}
