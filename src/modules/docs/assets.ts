import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HOME } from './addresses.ts';

/** A file that pages load. Its name holds a digest of its content, so it may be kept for ever. */
export interface Asset {
  address: string;
  type: string;
  body: Buffer;
}

export interface Assets {
  css: Asset;
  script: Asset;
  icon: Asset;
}

function asset(name: string, extension: string, type: string): Asset {
  const body = readFileSync(new URL(`look/${name}.${extension}`, import.meta.url));
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { address: `${HOME}/-/${name}.${digest}.${extension}`, type, body };
}

export const readAssets = (): Assets => ({
  css: asset('docs', 'css', 'text/css; charset=utf-8'),
  script: asset('old-links', 'js', 'text/javascript; charset=utf-8'),
  icon: asset('icon', 'svg', 'image/svg+xml'),
});
