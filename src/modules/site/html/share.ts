import { type Markup, markup } from '../../../lib/markup.ts';

/** Where a post can be passed on to; the names are channels of the share counter. */
const TARGETS = [
  ['email', 'E-mail', (url: string, title: string) => `mailto:?subject=${title}&body=${url}`],
  ['bluesky', 'Bluesky', (url: string, title: string) => `https://bsky.app/intent/compose?text=${title}%20${url}`],
  ['linkedin', 'LinkedIn', (url: string) => `https://www.linkedin.com/sharing/share-offsite/?url=${url}`],
  ['x', 'X', (url: string, title: string) => `https://x.com/intent/post?text=${title}&url=${url}`],
] as const;

export const CHANNELS: ReadonlySet<string> = new Set([...TARGETS.map(([channel]) => channel), 'copy-link']);

/** Links that pass the post on. `url`: its whole address. `countAt`: where the script says that one was used. */
export function shareLinks({ url, title, countAt }: { url: string; title: string; countAt: string }): Markup {
  const [u, t] = [encodeURIComponent(url), encodeURIComponent(title.toWellFormed())];
  return markup`<nav class="share" aria-label="Share" data-share="${countAt}"><ul role="list">
<li class="hint" aria-hidden="true">Share</li>
${TARGETS.map(([channel, name, linkOf]) => markup`<li><a href="${linkOf(u, t)}" rel="noopener nofollow" target="_blank" data-channel="${channel}">${name}</a></li>`)}
<li hidden><button type="button" class="plain" data-copy="${url}">Copy link</button></li>
</ul></nav>`;
}
