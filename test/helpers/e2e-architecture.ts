/** The files of e2e/ that speak HTTP by themselves, each with what they need it for. */
const RAW: Readonly<Record<string, string>> = {
  'e2e/helpers/watched-page.ts': 'the browser gets and loses its cookie by its own rules',
  'e2e/process.test.ts': 'connections in the middle of a request, and the health of a process, which is no operation',
  'e2e/docs-page.test.ts': 'pages, redirects and openapi.json, which are no operations',
  'e2e/site-hostile.test.ts': 'feeds, read inside of the browser',
};

/** Calls by `TestService` and `TestNode`, by `fetch`, by the browser's own means, and over sockets. */
const CALL =
  /\.(?:call|ok|refused)(?:<[^()]*>)?\(\s*(?:\d+|'[A-Z_]+')|(?<![.\w])fetch\(|\.request\s*\.(?:get|head|post|put|patch|delete|fetch)\(|from '(?:undici|node:https?|node:net)'/;

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

/**
 * What is wrong with files of e2e/, given by path with their source, one line each: requests that are not made by the client
 * library, and allowances that nobody needs any more.
 */
export function rawCalls(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, source]) => {
    const found = CALL.exec(withoutComments(source))?.[0];
    if (found !== undefined && RAW[path] === undefined) {
      return [`${path}: asks by ${found.replaceAll(/\s+/g, ' ')}; e2e uses the client library: service.client(token)`];
    }
    return found === undefined && RAW[path] !== undefined ? [`${path}: may speak HTTP by itself, and does not`] : [];
  });
}
