import type { ManagedPost, WritablePost } from '../../client/src/generated.ts';
import type { Client } from '../../client/src/index.ts';
import { type SignedIn, type TestService, testService, type TestServiceOptions } from './service.ts';
import { Visitor } from './visitor.ts';

export interface PostFields {
  title: string;
  body?: string;
  category?: string;
  tags?: string[];
  excerpt?: string;
  featured?: boolean;
  slug?: string;
  coverImageUrl?: string | null;
  coverImageAlt?: string | null;
}

/** A service with its site, an editor who writes posts, and readers who visit. */
export class SiteFixture {
  readonly service: TestService;
  readonly editor: SignedIn;

  constructor(service: TestService, editor: SignedIn) {
    this.service = service;
    this.editor = editor;
  }

  /** The client library, in the hand of the editor. */
  get #client(): Client {
    return this.service.client(this.editor.token);
  }

  /** A post that is public, since `at` or now. */
  async publish(fields: PostFields, at?: string): Promise<{ id: string; slug: string }> {
    const { id } = await this.#client.createPost({ body: { body: 'Some text.', category: 'News', ...fields } });
    const { slug } = await this.#client.publishPost({ id, body: at === undefined ? {} : { at } });
    return { id, slug: slug ?? '' };
  }

  change = (id: string, body: WritablePost): Promise<ManagedPost> => this.#client.updatePost({ id, body });

  unpublish = (id: string): Promise<ManagedPost> => this.#client.unpublishPost({ id });

  remove = (id: string): Promise<void> => this.#client.deletePost({ id });

  /** Another service on the same blog, with other settings. */
  async beside(options: Omit<TestServiceOptions, 'database'>): Promise<SiteFixture> {
    const { database } = this.service.service.opened.platform;
    return new SiteFixture(await testService({ withoutLoops: true, database, ...options }), this.editor);
  }

  visitor = (): Visitor => new Visitor(this.service.url);

  /** A reader who has signed up by the form. */
  async reader(name: string): Promise<Visitor> {
    const visitor = this.visitor();
    const email = `${name.toLowerCase().replaceAll(/\W/g, '')}@example.com`;
    await visitor.sendAndFollow('/blog/-/sign-up', { name, email, password: 'correct horse' });
    return visitor;
  }
}

export async function siteFixture(options: TestServiceOptions = {}): Promise<SiteFixture> {
  const service = await testService({ withoutLoops: true, ...options });
  return new SiteFixture(service, await service.user({ blogRole: 'EDITOR' }));
}
