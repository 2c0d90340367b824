import type { Db, Env } from '../../../platform/db/index.ts';
import type { Taxonomy } from '../schemas.ts';
import { publicFacets } from './store.ts';

type Facet = Taxonomy['tags'][number];

/** Names that differ in case only are one; by count, then name. */
const ordered = (facets: readonly Facet[]): Facet[] =>
  facets
    .map(({ name, count }) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** Categories and tags of public posts with how many have them. */
export async function getTaxonomy(db: Db, { now }: Pick<Env, 'now'>): Promise<Taxonomy> {
  const facets = await publicFacets(db, now);
  return {
    categories: ordered(facets.filter((f) => f.kind === 'category')),
    tags: ordered(facets.filter((f) => f.kind === 'tag')),
  };
}
