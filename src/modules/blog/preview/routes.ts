import { Type } from 'typebox';
import type { Cipher } from '../../../lib/cipher.ts';
import { type AnyRoute, DateTime, IdParams, Nullable, read, write } from '../../../platform/http/index.ts';
import { onPost } from '../authoring/input.ts';
import { PostDetail } from '../schemas.ts';
import { createPreviewLink } from './create-preview-link.ts';
import { endPreviewLinks } from './end-preview-links.ts';
import { getPreview } from './get-preview.ts';

const DAY = 24 * 3600;

const PreviewBody = Type.Object(
  {
    expiresInSeconds: Type.Integer({
      minimum: 60,
      maximum: 30 * DAY,
      default: 7 * DAY,
      description: 'Lifetime: a minute to 30 days.',
    }),
  },
  { additionalProperties: false },
);
const PreviewLink = Type.Object({
  url: Type.String({ description: 'For programs: the post as JSON.' }),
  pageUrl: Nullable(Type.String({ description: 'For people: a page of the public site. Null with SITE=off.' })),
  token: Type.String(),
  expiresAt: DateTime,
});
const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 500 }) });

const tag = 'Blog authoring';
const path = '/v1/blog/manage/posts/{id}/preview-links';

/** Nobody keeps, indexes or passes on what a link shows: whoever ends it wants it gone. */
const PREVIEW_HEADERS = {
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
};

export interface PreviewDeps {
  cipher: Cipher;
  /**
   * Address of the service; where there is none, the one that it listens on. Not the Host header: whoever sends another
   * would get a link that gives the token away to them.
   */
  publicUrl: string | undefined;
  /** Whether the public site is served. */
  hasSite: boolean;
}

export const previewRoutes = ({ cipher, publicUrl, hasSite }: PreviewDeps): readonly AnyRoute[] => {
  return [
    write({
      method: 'POST',
      path,
      access: 'writer',
      operationId: 'createPreviewLink',
      tag,
      summary: 'A link that shows the post before it is public',
      description: 'Works without a credential until it expires, is ended, or the post is deleted.',
      errors: ['NOT_FOUND'],
      secretReply: true,
      schemas: { params: IdParams, body: PreviewBody, replies: { 201: PreviewLink } },
      handle: async (trx, input) => ({
        status: 201,
        body: await createPreviewLink(
          trx,
          { ...onPost(input), ...input.body, baseUrl: (publicUrl ?? input.listening()).replace(/\/+$/, ''), hasSite },
          { ...input.env, cipher },
        ),
        headers: { 'cache-control': 'private, no-store' },
      }),
    }),
    write({
      method: 'DELETE',
      path,
      access: 'writer',
      operationId: 'endPreviewLinks',
      tag,
      summary: 'End all preview links of the post',
      errors: ['NOT_FOUND'],
      schemas: { params: IdParams, replies: { 204: null } },
      handle: async (trx, input) => {
        await endPreviewLinks(trx, onPost(input));
        return { status: 204 };
      },
    }),
    read({
      method: 'GET',
      path: '/v1/blog/preview/{token}',
      access: 'public',
      operationId: 'getPreview',
      tag,
      summary: 'What a preview link shows',
      description: 'The post as it is now, in the form of the public detail. The token is the credential.',
      errors: ['NOT_FOUND'],
      schemas: { params: TokenParams, replies: { 200: PostDetail } },
      handle: async (db, { params, env }) => ({
        status: 200,
        body: await getPreview(db, params, { now: env.now, cipher, publicUrl }),
        headers: PREVIEW_HEADERS,
      }),
    }),
  ];
};
