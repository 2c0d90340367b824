import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../contracts/errors.ts';
import { type Coding, codingFor, CODINGS } from './codings.ts';
import { etagMatches, strongEtag } from './etag.ts';

/** What Vite writes into index.html where the nonce of the reply has to stand (dashboard/vite.config.ts). */
const NONCE = '__CSP_NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** As the build has them: beside each file the same compressed. */
const SUFFIXES: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

interface StaticFile {
  type: string;
  /** The same address never has other content: its name holds a hash. */
  immutable: boolean;
  etag: string;
  body: Buffer;
  coded: ReadonlyMap<Coding, Buffer>;
}

/** A page application that was built: its files, read once. */
export interface StaticSite {
  /** The page of every address that is no file. */
  page: string;
  /** By path within the site: `assets/index-B1x.js`. */
  files: ReadonlyMap<string, StaticFile>;
}

/** Reads a built site; null when there is none in the folder. Everything is kept in memory: a few MB. */
export async function readStaticSite(folder: string): Promise<StaticSite | null> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
  if (page === null) return null;
  const names = (await readdir(folder, { recursive: true })).map((name) => name.split(sep).join('/'));
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined || name === 'index.html') continue;
    const body = await readFile(join(folder, name));
    const coded = new Map<Coding, Buffer>();
    for (const coding of CODINGS) {
      const compressed = name + SUFFIXES[coding];
      if (names.includes(compressed)) coded.set(coding, await readFile(join(folder, compressed)));
    }
    // Weak: the same for each coding of the file.
    const etag = `W/${strongEtag(body)}`;
    files.set(name, { type, immutable: name.startsWith('assets/'), etag, body, coded });
  }
  return { page, files };
}

/**
 * Scripts come from here only and none stands in the page; style elements carry the nonce of the reply. Covers and images
 * of posts come from anywhere. No `upgrade-insecure-requests`: it may be served by http.
 */
const policy = (nonce: string): string =>
  "default-src 'none'; script-src 'self'; " +
  `style-src 'self' 'nonce-${nonce}'; img-src 'self' data: http: https:; font-src 'self'; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const SAFETY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

function sendPage(reply: FastifyReply, site: StaticSite): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({ ...SAFETY, 'content-security-policy': policy(nonce), 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(site.page.replaceAll(NONCE, nonce));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const coding = codingFor(request, (one) => file.coded.has(one));
  reply.headers({
    ...SAFETY,
    etag: file.etag,
    vary: 'Accept-Encoding',
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (etagMatches(request.headers['if-none-match'], file.etag, true)) return reply.code(304).send();
  if (coding === null) return reply.type(file.type).send(file.body);
  return reply.header('content-encoding', coding).type(file.type).send(file.coded.get(coding));
}

export interface ServedSite {
  /** Where it is: `/dashboard`. */
  prefix: string;
  /** null: it was not built. */
  site: StaticSite | null;
  /** What callers are told then. */
  missing: string;
}

/**
 * Serves a site under its prefix: its files, and for every other address below it the page, whose own router knows what
 * is meant. An unknown file under `assets/` is 404.
 */
export function serveStaticSite(app: FastifyInstance, { prefix, site, missing }: ServedSite): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (site === null) throw new AppError('NOT_FOUND', { message: missing });
    const path = (request.params as { '*'?: string })['*'] ?? '';
    const file = site.files.get(path);
    if (file) return sendFile(request, reply, file);
    if (path.startsWith('assets/')) throw new AppError('NOT_FOUND');
    return sendPage(reply, site);
  };
  const schema = { hide: true };
  app.get(prefix, { schema }, handler);
  app.get(`${prefix}/*`, { schema }, handler);
}
