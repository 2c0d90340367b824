import { Command, Option } from 'commander';
import type { ManagedPost, ManagedPostSummary, Operations } from '../../../client/src/index.ts';
import { isUuid } from '../../lib/ids.ts';
import { action } from '../action.ts';
import { connect, type Connection } from '../connection/connect.ts';
import { Failure } from '../failure.ts';
import { calledAs } from '../option-names.ts';
import { instant, wordsOf } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { exportCommand } from '../transfer/export-command.ts';
import { importCommand } from '../transfer/import-command.ts';

type Query = Operations['listManagedPosts']['input'];
type Status = NonNullable<Query['status']>;
type Sort = NonNullable<Query['sort']>;

const STATUSES = wordsOf<Status>({ DRAFT: 1, SCHEDULED: 2, PUBLISHED: 3, ARCHIVED: 4 });
const SORTS = wordsOf<Sort>({ changed: 1, published: 2, most_viewed: 3, most_liked: 4, most_commented: 5 });

const COLUMNS: readonly Column<ManagedPostSummary>[] = [
  { title: 'id', of: (p) => p.id },
  { title: 'status', of: (p) => p.status },
  { title: 'published', of: (p) => localTime(p.publishedAt) },
  { title: 'views', of: (p) => p.viewCount },
  { title: 'slug', of: (p) => p.slug, cut: true },
  { title: 'title', of: (p) => p.title, cut: true },
];

async function idOfSlug({ client }: Connection, slug: string): Promise<string | undefined> {
  for await (const post of client.listManagedPosts({ q: slug })) if (post.slug === slug) return post.id;
  return undefined;
}

/** A post that is given by id or by slug. Fails when the caller manages none. */
async function postId(connection: Connection, given: string): Promise<string> {
  const id = isUuid(given) ? given : await calledAs({ 'query.q': 'post' }, idOfSlug(connection, given));
  if (id !== undefined) return id;
  throw new Failure(`there is no post "${given}": see "posthorn posts list"`);
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List posts: your own, for editors all.')
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .addOption(new Option('--sort <order>', 'which first').choices(SORTS))
    .option('--search <text>', 'words, or the beginning of a slug')
    .action(
      action<ListOptions & { status?: Status; sort?: Sort; search?: string }>(async (options) => {
        const { client } = await connect(options);
        const { status, sort, search: q } = options;
        const items = client.listManagedPosts({
          ...(status === undefined ? {} : { status }),
          ...(sort === undefined ? {} : { sort }),
          ...(q === undefined ? {} : { q }),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'posts', options);
      }),
    );

const fieldsOf = (p: ManagedPost): [string, string | number | null][] => [
  ['id', p.id],
  ['status', p.status],
  ['title', p.title],
  ['slug', p.slug],
  ['author', p.author.name],
  ['category', p.category],
  ['tags', p.tags.join(', ') || null],
  ['published', localTime(p.publishedAt)],
  ['changed', localTime(p.updatedAt)],
  ['version', p.version],
  ['counted', `${p.viewCount} views, ${p.likeCount} likes, ${p.commentCount} comments, ${p.shareCount} shares`],
];

const show = (): Command =>
  new Command('show')
    .description('Show a post.')
    .argument('<post>', 'id or slug')
    .option('--body', 'print its Markdown only')
    .action(
      action<{ body?: boolean }, [post: string]>(async (options, given) => {
        const connection = await connect(options);
        const post = await connection.client.getManagedPost({ id: await postId(connection, given) });
        if (options.body && !options.json) process.stdout.write(`${post.body}\n`);
        else printOne(post, fieldsOf(post), options);
      }),
    );

const publish = (): Command =>
  new Command('publish')
    .description('Publish a post, now or at a time.')
    .argument('<post>', 'id or slug')
    .option('--at <time>', 'schedule it: 2026-01-31T09:00 (local), 2026-01-31T09:00Z', instant)
    .action(
      action<{ at?: string }, [post: string]>(async (options, given) => {
        const connection = await connect(options);
        const id = await postId(connection, given);
        const { at } = options;
        const post = await connection.client.publishPost({ id, body: at === undefined ? {} : { at } });
        const when = localTime(post.publishedAt);
        printDone(
          `${post.slug} is ${post.status === 'SCHEDULED' ? `scheduled for ${when}` : 'public'}.`,
          post,
          options,
        );
      }),
    );

const unpublish = (): Command =>
  new Command('unpublish')
    .description('Take a post off the blog; a scheduled one becomes a draft.')
    .argument('<post>', 'id or slug')
    .action(
      action<object, [post: string]>(async (options, given) => {
        const connection = await connect(options);
        const post = await connection.client.unpublishPost({ id: await postId(connection, given) });
        printDone(`${post.slug ?? post.id} is ${post.status === 'ARCHIVED' ? 'archived' : 'a draft'}.`, post, options);
      }),
    );

/** `posthorn posts …`. */
export const postsCommand = (): Command =>
  new Command('posts')
    .description('Posts of the blog, as their writers see them.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(publish())
    .addCommand(unpublish())
    .addCommand(importCommand())
    .addCommand(exportCommand());
