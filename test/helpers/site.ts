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

  /** A post that is public, since `at` or now. */
  async publish(fields: PostFields, at?: string): Promise<{ id: string; slug: string }> {
    const { token } = this.editor;
    const body = { body: 'Some text.', category: 'News', ...fields };
    const { id } = await this.service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', { token, body });
    return this.service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, {
      token,
      body: at === undefined ? {} : { at },
    });
  }

  change = (id: string, body: object) =>
    this.service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token: this.editor.token, body });

  unpublish = (id: string) =>
    this.service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/unpublish`, { token: this.editor.token });

  remove = (id: string) => this.service.ok(204, 'DELETE', `/v1/blog/manage/posts/${id}`, { token: this.editor.token });

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
