import { contentOf } from '../post.ts';
import type { RevisionDetail, RevisionSummary } from './schemas.ts';
import type { Revision, RevisionRow } from './store.ts';

/** A revision as lists show it. */
export const revisionSummary = (row: RevisionRow): RevisionSummary => ({
  number: row.number,
  version: row.version,
  title: row.title,
  words: row.words,
  savedAt: row.savedAt.toISOString(),
  savedBy: { id: row.savedById, name: row.savedByName },
  autosaved: row.autosaved,
  wasPublic: row.wasPublic,
});

/** A revision with every field. */
export const revisionDetail = (revision: Revision): RevisionDetail => {
  const content = contentOf(revision);
  return { ...revisionSummary(revision), ...content, tags: [...content.tags] };
};
