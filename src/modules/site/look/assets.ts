import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readable, textOn } from './colour.ts';

/** A file that pages load. Its name holds a digest of its content, so it may be kept for ever. */
export interface Asset {
  /** Below `/blog/-/`: `site.1a2b3c4d5e6f.css`. */
  name: string;
  type: string;
  body: Buffer;
}

export interface Assets {
  css: Asset;
  script: Asset;
  icon: Asset;
}

/** Grounds of text in light and in dark; the same as in site.css, which a test holds equal. */
export const GROUNDS = { light: ['#fdfcfa', '#f3f1ec'], dark: ['#14171a', '#1e2327'] } as const;

/** Contrast of text (WCAG 2.2, 1.4.3), with a little to spare for rounding. */
const LEAST = 4.6;

function asset(name: string, extension: string, type: string, text: string): Asset {
  const body = Buffer.from(text);
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { name: `${name}.${digest}.${extension}`, type, body };
}

const fileText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

function accentRule(accent: string, grounds: readonly string[]): string {
  const shown = readable(accent, grounds, LEAST);
  return `:root{--accent:${shown};--on-accent:${textOn(shown)}}`;
}

/** The style sheet with the site's colour, the script, and an icon of that colour. `accent`: `#rrggbb`. */
export function makeAssets(accent: string): Assets {
  const css = `${fileText('site.css')}
${accentRule(accent, GROUNDS.light)}
@media screen and (prefers-color-scheme:dark){${accentRule(accent, GROUNDS.dark)}}
`;
  return {
    css: asset('site', 'css', 'text/css; charset=utf-8', css),
    script: asset('site', 'js', 'text/javascript; charset=utf-8', fileText('site.js')),
    icon: asset('icon', 'svg', 'image/svg+xml', fileText('icon.svg').replace('currentColor', accent)),
  };
}
