import assert from 'node:assert/strict';
import { type SignedIn, type TestReply, type TestService, testService } from './service.ts';

/** A comment as readers are given it. */
export interface Comment {
  id: string;
  body: string;
  parentId: string | null;
  status: string;
  createdAt: string;
  author?: { id: string; name: string };
  deleted?: boolean;
  replies: Comment[];
}

/** A page of them. */
export interface Comments {
  sort?: string;
  page: number;
  pages: number;
  total: number;
  data: Comment[];
}

/** A running service with writers, readers and posts to comment on. */
export class Commenting {
  readonly service: TestService;
  /** An API key with `blog:read`. */
  readonly key: string;
  readonly author: SignedIn;
  readonly editor: SignedIn;
  readonly reader: SignedIn;
  readonly other: SignedIn;
  #posts = 0;
  #texts = 0;

  constructor(service: TestService, key: string, people: readonly [SignedIn, SignedIn, SignedIn, SignedIn]) {
    this.service = service;
    this.key = key;
    [this.author, this.editor, this.reader, this.other] = people;
  }

  /** A new public post of the author, with the address of its comments. */
  async newPost(): Promise<{ id: string; slug: string; path: string }> {
    const { token } = this.author;
    const fields = { title: 'A post', slug: `commented-${++this.#posts}`, body: 'Text.', category: 'News' };
    const { id } = await this.service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', { token, body: fields });
    await this.service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, { token });
    return { id, slug: fields.slug, path: `/v1/blog/posts/${fields.slug}/comments` };
  }

  /** Sends a comment, by the reader. */
  say = (path: string, body: unknown, who: SignedIn = this.reader): Promise<TestReply<Comment>> =>
    this.service.call<Comment>('POST', path, { token: who.token, body });

  /** A comment of the reader with a text of its own. */
  async said(path: string, parentId?: string): Promise<Comment> {
    const reply = await this.say(path, { body: `Words ${++this.#texts}`, ...(parentId ? { parentId } : {}) });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.body;
  }

  /** The paths of the faults of a body that must be refused. */
  async faults(method: 'POST' | 'PATCH', path: string, { token }: SignedIn, body: unknown): Promise<string> {
    const reply = await this.service.refused('VALIDATION_ERROR', method, path, { token, body });
    return reply.body.error.details?.map((d) => d.path).join() ?? '';
  }
}

/** A new service with an author, an editor and two readers. */
export async function commenting(): Promise<Commenting> {
  const service = await testService();
  const author = await service.user({ blogRole: 'AUTHOR' });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const { key } = await service.key(['blog:read']);
  return new Commenting(service, key, [author, editor, await service.user(), await service.user()]);
}
