/** Which tags, and which pairs of conditions, have a page of posts: lists of any other are short, in a small blog nearly all. */
import { withClient } from '../lib/processes.ts';

/** Posts on a page. */
export const PAGE = 20;

export interface Filling {
  tags: readonly string[];
  /** Of a category and a tag, and of two tags, as post_pair_counts names them: `c` or `t`, and the key. */
  pairs: Readonly<Record<'c' | 't', readonly (readonly [first: string, tag: string])[]>>;
}

/** What has a page of posts, by the counts that the service keeps; they count what is scheduled, too. */
export const fillingOf = (url: string): Promise<Filling> =>
  withClient(url, async (client) => {
    const tags = await client.query<{ key: string }>(
      `select key from post_counts where kind = 'tag' and count >= $1 order by key`,
      [PAGE],
    );
    const pairs = await client.query<{ first: string; second: string }>(
      `select first, second from post_pair_counts where count >= $1 and first ~ '^[ct]' and second ~ '^t' order by 1, 2`,
      [PAGE],
    );
    const of = (kind: string) =>
      pairs.rows.flatMap(({ first, second }) => (first.startsWith(kind) ? [[first, second] as const] : []));
    return { tags: tags.rows.map(({ key }) => key), pairs: { c: of('c'), t: of('t') } };
  });
