import type { Env, Trx } from '../../../platform/db/index.ts';
import { findWriters } from './store.ts';

/** Of the accounts module: the user that stands for an author of this name. */
export type FindOrCreateAuthor = (trx: Trx, name: string, env: Env) => Promise<{ id: string; name: string }>;

/** Who wrote a post or a comment, as its source says it. */
export interface Named {
  author: string | null;
  /** Lower case. */
  authorEmail: string | null;
}

/** Users by what the source says of them. */
export interface Authors {
  /** User ids of those who write here, by e-mail. */
  writers: ReadonlyMap<string, string>;
  /** User ids of the others, by name. */
  names: ReadonlyMap<string, string>;
}

/**
 * Users of all these: those who write here by e-mail, the others by name, made where there is none of it. A user who
 * only signed up is not taken: anybody can do that with somebody else's address.
 */
export async function findAuthors(
  trx: Trx,
  named: readonly Named[],
  env: Env,
  findOrCreateAuthor: FindOrCreateAuthor,
): Promise<Authors> {
  const writers = await findWriters(
    trx,
    named.flatMap(({ authorEmail }) => authorEmail ?? []),
  );
  const others = named.filter(({ authorEmail }) => authorEmail === null || !writers.has(authorEmail));
  const names = new Map<string, string>();
  // In one order for all imports, so that none waits for another in a circle.
  for (const name of [...new Set(others.flatMap(({ author }) => author ?? []))].toSorted()) {
    names.set(name, (await findOrCreateAuthor(trx, name, env)).id);
  }
  return { writers, names };
}

/** The user, or undefined where the source names nobody, or only an e-mail that none of the writers has. */
export const authorOf = ({ author, authorEmail }: Named, { writers, names }: Authors): string | undefined =>
  (authorEmail === null ? undefined : writers.get(authorEmail)) ?? (author === null ? undefined : names.get(author));
