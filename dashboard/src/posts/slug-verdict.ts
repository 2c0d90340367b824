import { isSlug } from './fields.ts';

/** What the service says about a slug. */
interface SlugReply {
  slug: string;
  available: boolean;
  suggestion: string;
}

export interface SlugVerdict {
  /** Why it cannot be taken, as a sentence; null: nothing speaks against it so far. */
  fault: string | null;
  isFree: boolean;
}

/** What is known of a slug that is being written. A reply about another one says nothing about it. */
export function slugVerdict(slug: string, reply: SlugReply | undefined): SlugVerdict {
  if (slug === '') return { fault: null, isFree: false };
  if (!isSlug(slug)) return { fault: 'Not a slug.', isFree: false };
  const answer = reply?.slug === slug ? reply : undefined;
  return {
    fault: answer?.available === false ? 'Another post has this slug.' : null,
    isFree: answer?.available === true,
  };
}

/** The slug that a post with the slug `saved` would have if it were saved now, as far as that is known; '' if none. */
export function slugAfterSave(slug: string, saved: string, reply: SlugReply | undefined): string {
  if (slug === '') return saved || (reply?.suggestion ?? '');
  return slugVerdict(slug, reply).fault === null ? slug : saved;
}
