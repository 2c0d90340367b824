import { type Static, Type } from 'typebox';
import { countWords, excerptOf, readingMinutes } from '../../../lib/markdown-text.ts';
import { BodyText } from '../schemas.ts';
import { render } from './renderer.ts';

export const RenderBody = Type.Object({ body: BodyText }, { additionalProperties: false });

export const RenderedPost = Type.Object({
  bodyHtml: Type.String({ description: 'As readers get it.' }),
  toc: Type.Array(
    Type.Object({
      level: Type.Integer({ minimum: 1, maximum: 6 }),
      text: Type.String(),
      id: Type.String({ description: 'Of the heading in `bodyHtml`.' }),
    }),
    { description: 'Headings, in order.' },
  ),
  readingMinutes: Type.Integer(),
  words: Type.Integer(),
  excerpt: Type.String({ description: 'What readers see of it in lists where the post has no excerpt of its own.' }),
});

/** What a text will look like, for a preview while it is written. Stores nothing. */
export async function renderPost({ body }: Static<typeof RenderBody>): Promise<Static<typeof RenderedPost>> {
  const { html, toc } = await render(body);
  const [minutes, words, excerpt] = [readingMinutes(body), countWords(body), excerptOf(body)];
  return { bodyHtml: html, toc, readingMinutes: minutes, words, excerpt };
}
