import assert from 'node:assert/strict';
import { dice } from './dice.ts';
import { until } from './engine.ts';
import type { Node, Site } from './nodes.ts';

/** What others may take to see a change: ready-made replies of another node are a second old at most. Milliseconds. */
const OTHERS_MS = 1500;

export interface World extends Site {
  nodes: readonly [Node, Node];
  operator: string;
  /** Of posts that stay as they are. */
  slugs: readonly string[];
}

/** Somebody who writes on one node, and looks at once, here and on the other node, whether it is there. */
export class OwnWrites {
  readonly #world: World;
  readonly #number: number;
  readonly #roll: (sides: number) => number;
  #token = '';
  #written = 0;
  /** How often each was done. */
  readonly did = { commented: 0, liked: 0, published: 0, edited: 0, read: 0 };

  constructor(world: World, number: number) {
    this.#world = world;
    this.#number = number;
    this.#roll = dice(number);
  }

  async signUp(): Promise<void> {
    const body = { email: `own${this.#number}@replica.example`, name: 'Reader', password: 'reader of the replica' };
    this.#token = (await this.#world.nodes[0].process.call('POST', '/v1/auth/sign-up', body)).accessToken;
  }

  /** Throws at a write that is not to be seen, and at any reply that is no success. */
  async act(): Promise<void> {
    const { nodes, slugs } = this.#world;
    const [here, there] = this.#roll(2) === 0 ? nodes : [nodes[1], nodes[0]];
    const slug = slugs[this.#roll(slugs.length)] as string;
    const kind = this.#roll(10);
    if (kind < 3) await this.#comment(here, there, slug);
    else if (kind < 5) await this.#like(here, there, slug);
    else if (kind < 6) await this.#publish(here, there);
    else await this.#look(there);
  }

  async #comment(here: Node, there: Node, slug: string): Promise<void> {
    const path = `/v1/blog/posts/${slug}/comments`;
    const body = `Seen at once? ${this.#number} ${++this.#written}`;
    const { id, status } = await here.process.call('POST', path, { body }, this.#token);
    // The page of a site is made with its key, whoever has written.
    const { data } = await there.process.call('GET', `${path}?sort=newest&limit=100`, undefined, this.#world.apiKey);
    const isSeen = (data as { id: string }[]).some((comment) => comment.id === id);
    // A rule may hold it back.
    assert.equal(isSeen, status === 'VISIBLE', `the comment ${id} on ${slug}`);
    this.did.commented++;
  }

  async #like(here: Node, there: Node, slug: string): Promise<void> {
    const isLiked = this.#roll(3) > 0;
    await here.process.call(isLiked ? 'PUT' : 'DELETE', `/v1/blog/posts/${slug}/like`, undefined, this.#token);
    for (const node of [there, here]) {
      const { likedByMe } = await node.process.call('GET', `/v1/blog/posts/${slug}`, undefined, this.#token);
      assert.equal(likedByMe, isLiked, `the like of ${slug}`);
    }
    this.did.liked++;
  }

  async #publish(here: Node, there: Node): Promise<void> {
    const { apiKey, editor } = this.#world;
    const title = `Own ${this.#number} ${++this.#written}`;
    const slug = title.toLowerCase().replaceAll(' ', '-');
    const content = { title, body: `A lamp for ${title}.`, category: 'Own', tags: [`t${this.#number}`] };
    const titleAt = async ({ process }: Node): Promise<string> =>
      (await process.call('GET', `/v1/blog/posts/${slug}`, undefined, apiKey)).title;
    const { id } = await here.process.call('POST', '/v1/blog/manage/posts', content, editor);
    await here.process.call('POST', `/v1/blog/manage/posts/${id}/publish`, {}, editor);
    const { data } = await here.process.call('GET', '/v1/blog/posts?limit=100&category=own', undefined, apiKey);
    assert.ok(
      (data as { slug: string }[]).some((post) => post.slug === slug),
      `${slug} in the list`,
    );
    assert.deepEqual(await Promise.all([titleAt(there), titleAt(here)]), [title, title]);
    this.did.published++;
    await here.process.call('PATCH', `/v1/blog/manage/posts/${id}`, { title: `${title}, anew` }, editor);
    assert.equal(await titleAt(here), `${title}, anew`);
    await until('the edit, on the other node', async () => (await titleAt(there)) === `${title}, anew`, OTHERS_MS, 20);
    this.did.edited++;
  }

  async #look({ process }: Node): Promise<void> {
    const { apiKey, operator } = this.#world;
    const page = 1 + this.#roll(3);
    const paths = [`posts?q=lamp&page=${page}`, `posts?sort=oldest&page=${page}`, 'taxonomy', 'index'];
    const path = paths[this.#roll(paths.length + 1)];
    if (path === undefined) await process.call('GET', '/v1/insights/blog', undefined, operator);
    else await process.call('GET', `/v1/blog/${path}`, undefined, apiKey);
    this.did.read++;
  }
}
