import { PosthornError } from './errors.ts';

/** What a call gives besides its value. */
export interface Answer<Reply> {
  data: Reply;
  status: number;
  headers: Headers;
}

/** The reply to come. */
export interface Call<Reply> extends Promise<Reply> {
  /** The same with status and headers, among them `ETag` and `X-Request-Id`. */
  withHeaders(): Promise<Answer<Reply>>;
}

/** A page to come, and by iteration every item of it and of all that follow: `for await (const post of client.listPosts())`. */
export interface ListCall<Reply, Item> extends Call<Reply>, AsyncIterable<Item> {}

/** What the text of a reply's body says. */
export function readReply(response: Response, text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const requestId = response.headers.get('x-request-id');
    const { status } = response;
    throw new PosthornError({ code: 'UNEXPECTED_REPLY', message: 'the reply is no JSON', status, requestId, cause });
  }
}

/** A promise of the reply's value that knows its headers too. */
export function callOf<Reply>(answer: Promise<Answer<Reply>>): Call<Reply> {
  const call = answer.then(({ data }) => data) as Call<Reply>;
  call.withHeaders = () => {
    // Who asks for both learns of a failure by them: nobody is left to handle it here.
    call.catch(() => undefined);
    return answer;
  };
  return call;
}

interface Page {
  data: unknown[];
  nextCursor?: string | null;
  page?: number;
  pages?: number;
  total?: number;
}

/** The last page of a list that the service gives. */
const LAST_PAGE = 10_000;

/** What is asked for to get the page after this one; null after the last. */
function next(page: Page): Record<string, unknown> | null {
  if (page.nextCursor !== undefined) return page.nextCursor === null ? null : { cursor: page.nextCursor };
  const { page: number = 1, pages = 1 } = page;
  return number < Math.min(pages, LAST_PAGE) ? { page: number + 1 } : null;
}

/** Throws where a list goes on behind the last page that can be had: who walks through all of it must not take a part for the whole. */
function requireWhole({ page = 1, total = 0 }: Page, size: number): void {
  const left = total - LAST_PAGE * size;
  if (page < LAST_PAGE || left <= 0) return;
  throw new PosthornError({
    code: 'VALIDATION_ERROR',
    message: `the list has ${left} items more, behind page ${LAST_PAGE}, the last that can be had: narrow the filter${size < 100 ? ', or take a larger limit' : ''}`,
  });
}

/** A call whose items can be walked through, page by page as they are needed; `limit`: what was asked for as the size of a page. */
export function listCallOf(
  first: Call<unknown>,
  fetchPage: (more: Record<string, unknown>) => Promise<unknown>,
  limit?: unknown,
): Call<unknown> {
  const walk = async function* (): AsyncGenerator<unknown> {
    let size = typeof limit === 'number' ? limit : 0;
    for (let page = (await first) as Page; ; ) {
      yield* page.data;
      size = Math.max(size, page.data.length);
      const more = next(page);
      if (more === null) {
        requireWhole(page, size);
        return;
      }
      page = (await fetchPage(more)) as Page;
      // What is between here and the service may have lost what was asked: better an error than the same page for ever.
      const asked = more['page'];
      if (typeof asked === 'number' && page.page !== asked)
        throw new PosthornError({
          code: 'UNEXPECTED_REPLY',
          message: `page ${page.page} came where page ${asked} was asked for`,
        });
    }
  };
  return Object.assign(first, { [Symbol.asyncIterator]: walk });
}
