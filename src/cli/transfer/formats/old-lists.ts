import { foldCase } from '../../../lib/fold-case.ts';
import { slugifyAny } from '../../../lib/slug.ts';
import { cutText } from '../../../lib/markdown-text.ts';
import { MAX, owned } from './fit.ts';

/** A category or tag of the old blog, with the slug that it had in addresses. */
export interface OldList {
  list: 'category' | 'tag';
  slug: string;
  name: string;
}

/** Those whose slug is not made of their name, so that nothing here leads from their old address to them. */
export class OldLists {
  readonly #lists = new Map<string, OldList>();

  /** One that a public post has, by its name here: one that is too long is cut as the posts have it. */
  add({ list, slug, name: whole }: OldList): void {
    const name = cutText(whole, MAX[list]);
    if (slug === '' || foldCase(slug) === foldCase(name) || slug.toLowerCase() === slugifyAny(name)) return;
    // A map of nginx cannot hold one in capitals beside the same in small letters.
    this.#lists.set(owned(`${list}/${slug}`.toLowerCase()), { list, slug: owned(slug), name: owned(name) });
  }

  /** In the order in which they were found. */
  all(): OldList[] {
    return [...this.#lists.values()];
  }
}
