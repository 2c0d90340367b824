import assert from 'node:assert/strict';
import { type CheckedReply, checkedFetch } from './checked-fetch.ts';
import { dice } from './dice.ts';
import type { Node, Site } from './nodes.ts';

/** What a client knows of its comment by the answers that it got. */
export interface KnownComment {
  id: string;
  slug: string;
  status: 'VISIBLE' | 'HIDDEN' | 'DELETED';
  /** What moderators were answered to have made of it, in order. */
  decisions: string[];
}

/** What all clients share. */
export interface Storm extends Site {
  nodes: readonly Node[];
  slugs: readonly string[];
  /** Comments that were answered, of all clients. */
  comments: KnownComment[];
  /** Answered actions by name. */
  done: Record<string, number>;
}

export type Tally = Record<'likes' | 'views' | 'shares', number>;

interface Sent {
  method: string;
  path: string;
  token: string;
  key?: string;
  body?: object;
  /** A status besides 2xx that is an answer too. */
  orElse?: number;
}

/** One reader, who does one thing after the other, and each again under the same key until it is answered. */
export class StormClient {
  readonly liked = new Set<string>();
  readonly did: Record<string, Tally> = {};
  repeated = 0;
  readonly #storm: Storm;
  readonly #number: number;
  readonly #roll: (sides: number) => number;
  /** Moderated by nobody else, so that what they are in the end is known. */
  readonly #own: KnownComment[] = [];
  #token = '';
  #key = '';

  constructor(storm: Storm, number: number) {
    this.#storm = storm;
    this.#number = number;
    this.#roll = dice(number);
    for (const slug of storm.slugs) this.did[slug] = { likes: 0, views: 0, shares: 0 };
  }

  async signUp(): Promise<void> {
    const body = { email: `reader${this.#number}@storm.example`, name: 'Reader', password: 'reader of the storm' };
    const node = this.#storm.nodes[this.#number % this.#storm.nodes.length] as Node;
    this.#token = (await node.process.call('POST', '/v1/auth/sign-up', body)).accessToken;
  }

  async run(actions: number, onAnswer: () => void): Promise<void> {
    for (let i = 0; i < actions; i++) {
      this.#key = `${this.#number}-${i}`;
      const what = await this.#act(this.#storm.slugs[this.#roll(this.#storm.slugs.length)] as string);
      this.#storm.done[what] = (this.#storm.done[what] ?? 0) + 1;
      onAnswer();
    }
  }

  /** Any action, and its name. */
  #act(slug: string): Promise<string> {
    const kind = this.#roll(12);
    if (kind < 2) return this.#count(slug, 'view');
    if (kind < 4) return this.#count(slug, 'share');
    if (kind < 6) return this.#like(slug, 'PUT');
    if (kind < 7) return this.#like(slug, 'DELETE');
    const own = this.#own[this.#roll(Math.max(1, this.#own.length))];
    if (kind < 9 || own === undefined) return this.#comment(slug);
    if (kind < 10) return this.#reply();
    return kind < 11 ? this.#remove(own) : this.#moderate(own);
  }

  async #count(slug: string, what: 'view' | 'share'): Promise<string> {
    const body = what === 'share' ? { channel: 'email' } : undefined;
    const sent = { method: 'POST', path: `posts/${slug}/${what}`, token: this.#storm.apiKey, key: this.#key };
    await this.#send({ ...sent, ...(body ? { body } : {}) });
    (this.did[slug] as Tally)[`${what}s`]++;
    return what;
  }

  async #like(slug: string, method: 'PUT' | 'DELETE'): Promise<string> {
    const liked = method === 'PUT';
    const key = liked ? {} : { key: this.#key };
    const { body } = await this.#send({ method, path: `posts/${slug}/like`, token: this.#token, ...key });
    assert.equal(body.liked, liked);
    if (liked) this.liked.add(slug);
    else this.liked.delete(slug);
    // A reader sees their own write at once, on every node.
    const seen = await this.#send({ method: 'GET', path: `posts/${slug}`, token: this.#token });
    assert.equal(seen.body.likedByMe, liked);
    return liked ? 'like' : 'unlike';
  }

  async #comment(slug: string, parentId?: string): Promise<string> {
    const what = parentId === undefined ? 'comment' : 'reply';
    const answer = await this.#send({
      method: 'POST',
      path: `posts/${slug}/comments`,
      token: this.#token,
      key: this.#key,
      body: { body: `Words of ${this.#key}`, ...(parentId === undefined ? {} : { parentId }) },
      // The parent may be hidden or gone by now.
      ...(parentId === undefined ? {} : { orElse: 400 }),
    });
    if (answer.status === 400) return 'reply refused';
    assert.equal(answer.body.status, 'VISIBLE');
    const known: KnownComment = { id: answer.body.id, slug, status: 'VISIBLE', decisions: [] };
    this.#own.push(known);
    this.#storm.comments.push(known);
    return what;
  }

  #reply(): Promise<string> {
    const { comments } = this.#storm;
    const to = comments[this.#roll(comments.length)] as KnownComment;
    return this.#comment(to.slug, to.id);
  }

  async #remove(own: KnownComment): Promise<string> {
    await this.#send({ method: 'DELETE', path: `comments/${own.id}`, token: this.#token, key: this.#key });
    own.status = 'DELETED';
    this.#own.splice(this.#own.indexOf(own), 1);
    return 'delete';
  }

  async #moderate(own: KnownComment): Promise<string> {
    const status = own.status === 'VISIBLE' ? 'HIDDEN' : 'VISIBLE';
    const path = `manage/comments/${own.id}`;
    const { editor: token } = this.#storm;
    const { body } = await this.#send({ method: 'PATCH', path, token, key: this.#key, body: { status } });
    assert.equal(body.status, status);
    own.status = status;
    own.decisions.push(status);
    return status === 'HIDDEN' ? 'hide' : 'show';
  }

  async #send({ method, path, token, key, body, orElse }: Sent): Promise<CheckedReply> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const { nodes } = this.#storm;
    // A read asks another node than the write before it; whatever was not answered goes to another one as well.
    for (let attempt = method === 'GET' ? 1 : 0; ; attempt++) {
      const node = nodes[(this.#number + attempt) % nodes.length] as Node;
      const url = `http://127.0.0.1:${node.process.port}/v1/blog/${path}`;
      const reply = await checkedFetch(url, init).catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return null;
      });
      if (reply !== null && (reply.status < 300 || reply.status === orElse)) return reply;
      // 409: the same request of before the crash is still running; 503: the node is going or coming.
      if (reply !== null)
        assert.ok(
          [409, 503].includes(reply.status),
          `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`,
        );
      this.repeated++;
      await (nodes[(this.#number + attempt + 1) % nodes.length] as Node).ready;
    }
  }
}
