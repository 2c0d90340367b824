interface Allowance {
  /** What the request's line must be like. */
  line: RegExp;
  why: string;
}

/** The requests that files of e2e/ make by themselves, and what for. */
const RAW: Readonly<Record<string, Allowance>> = {
  'e2e/helpers/watched-page.ts': {
    line: /\/v1\/auth\/(?:browser-session|sign-out)`/,
    why: 'the browser gets and loses its cookie by its own rules',
  },
  'e2e/process.test.ts': {
    line: /\/(?:readyz|healthz)`|from 'node:net'/,
    why: 'connections in the middle of a request, and the health of a process, which is no operation',
  },
  'e2e/docs-page.test.ts': {
    line: /page\.request\.get\(service\.url \+ (?:old|hidden)\b|'\/openapi\.json'/,
    why: 'redirects and what is not served of the documentation, which are no operations',
  },
  'e2e/site-hostile.test.ts': { line: /\(await fetch\(path\)\)\.text\(\)/, why: 'feeds, read inside of the browser' },
};

/**
 * Calls by `TestService` and `TestNode`, by `fetch` (also of an object, and handed on under another name), by the browser's own
 * means, and over sockets.
 */
const CALL = new RegExp(
  [
    /\.(?:call|ok|refused)(?:<[^()]*>)?\(\s*(?:\d+|'[A-Z_]+')/,
    /(?<![.\w])fetch\b(?!:)/,
    /\b(?:globalThis|window|self|global)\s*(?:\.\s*fetch\b|\[)/,
    /\b(?:XMLHttpRequest|sendBeacon|EventSource)\b/,
    /\brequest\s*\.(?:get|head|post|put|patch|delete|fetch)\(/,
    /(?:from|import\()\s*'(?:undici|node:https?|node:net|node:http2|node:tls)'/,
  ]
    .map((part) => part.source)
    .join('|'),
  'g',
);

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

const lineAt = (source: string, index: number): string =>
  source.slice(source.lastIndexOf('\n', index) + 1).split('\n', 1)[0] ?? '';

/**
 * What is wrong with files of e2e/, given by path with their source, one line each: requests that are not made by the client
 * library, and allowances that nobody needs any more.
 */
export function rawCalls(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, commented]) => {
    const source = withoutComments(commented);
    const found = [...source.matchAll(CALL)];
    const allowed = RAW[path];
    if (allowed !== undefined && found.length === 0) return [`${path}: may speak HTTP by itself, and does not`];
    return found
      .filter((match) => !allowed?.line.test(lineAt(source, match.index)))
      .map(
        ([call]) =>
          `${path}: asks by ${call.replaceAll(/\s+/g, ' ')}; e2e uses the client library: service.client(token)`,
      );
  });
}
