import type { Db } from '../../../platform/db/index.ts';
import { findOwnPost, type OnPost } from '../authoring/own-post.ts';
import type { PostContent } from '../post.ts';
import { missingForPublish } from '../rules.ts';
import { checkBody } from './check-body.ts';
import { type Problem, warning } from './problems.ts';
import { isTitleOfAnother } from './store.ts';

/** Search engines cut a title behind about 600 pixels. Characters. */
const SEARCH_TITLE_MAX = 60;

export interface CheckedPost {
  /** Publishing would not refuse it. */
  ready: boolean;
  problems: Problem[];
}

function checkFields(content: PostContent): Problem[] {
  const { title, seoTitle, excerpt, coverImageUrl, coverImageAlt } = content;
  const missing = missingForPublish(content).map(
    ({ path, message }): Problem => ({ code: 'FIELD_MISSING', severity: 'ERROR', message, path }),
  );
  const searched = seoTitle?.trim() ? seoTitle : (title ?? '');
  const { length } = Array.from(searched);
  return [
    ...missing,
    ...(length > SEARCH_TITLE_MAX
      ? [
          warning(
            'TITLE_LONG',
            searched === seoTitle ? 'seoTitle' : 'title',
            `Search engines show about ${SEARCH_TITLE_MAX} characters of a title; this one has ${length}.`,
          ),
        ]
      : []),
    ...(excerpt === ''
      ? [warning('EXCERPT_MISSING', 'excerpt', 'Without an excerpt, readers see the beginning of the body.')]
      : []),
    ...(coverImageUrl !== null && !coverImageAlt?.trim()
      ? [warning('COVER_WITHOUT_ALT', 'coverImageAlt', 'The cover image has no alternative text.')]
      : []),
  ];
}

/** What is in the way of publishing a post, and what a reader will notice. Throws NOT_FOUND, UNAVAILABLE. */
export async function checkPost(db: Db, input: OnPost): Promise<CheckedPost> {
  const post = await findOwnPost(db, input);
  const problems = checkFields(post);
  if (post.title !== null && (await isTitleOfAnother(db, post.title, post.id))) {
    problems.push(warning('TITLE_NOT_UNIQUE', 'title', 'Another post that is published or scheduled has this title.'));
  }
  problems.push(...(await checkBody(post.body)));
  return { ready: problems.every((p) => p.severity !== 'ERROR'), problems };
}
