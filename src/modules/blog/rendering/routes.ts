import { type AnyRoute, read } from '../../../platform/http/index.ts';
import { RenderBody, RenderedPost, renderPost } from './render-post.ts';

export const renderingRoutes: readonly AnyRoute[] = [
  read({
    method: 'POST',
    path: '/v1/blog/manage/render',
    access: 'writer',
    operationId: 'renderPost',
    tag: 'Blog authoring',
    summary: 'What a Markdown text will look like',
    description: 'For previews while writing. Nothing is stored.',
    schemas: { body: RenderBody, replies: { 200: RenderedPost } },
    handle: async (_db, { body }) => ({ status: 200, body: await renderPost(body) }),
  }),
];
