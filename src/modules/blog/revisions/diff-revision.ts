import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../platform/db/index.ts';
import { findOwnPost } from '../authoring/own-post.ts';
import { contentOf, type PostContent } from '../post.ts';
import { contentAt, type OnRevision } from './get-revision.ts';
import type { RevisionDiff } from './schemas.ts';

export interface DiffRevisionInput extends OnRevision {
  /** Version of the post to compare with; absent: the present one. */
  against?: number | undefined;
}

const isOther = <T extends object>(field: string, content: T): field is Extract<keyof T, string> =>
  field !== 'body' && field in content;

function changedFields(from: PostContent, to: PostContent): RevisionDiff['fields'] {
  const changed: RevisionDiff['fields'] = [];
  for (const field of Object.keys(from)) {
    if (!isOther(field, from) || isDeepStrictEqual(from[field], to[field])) continue;
    const plain = (content: PostContent) => (field === 'tags' ? [...content.tags] : content[field]) as string | null;
    changed.push({ field, from: plain(from), to: plain(to) });
  }
  return changed;
}

/**
 * What changed from a revision to another version of the post. The cost is bounded by the length of the bodies. Throws
 * NOT_FOUND.
 */
export async function diffRevision(db: Db, input: DiffRevisionInput): Promise<RevisionDiff> {
  const post = await findOwnPost(db, input);
  const from = await contentAt(db, post, input.number);
  const to = await contentAt(db, post, input.against ?? post.version);
  return {
    from: { number: from.number, version: from.version },
    to: { number: to.number, version: to.version },
    fields: changedFields(contentOf(from), contentOf(to)),
    body: (await import('./line-diff.ts')).lineDiff(from.body, to.body),
  };
}
