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
}

/** What is asked for to get the page after this one; null after the last. */
function next(page: Page): Record<string, unknown> | null {
  if (page.nextCursor !== undefined) return page.nextCursor === null ? null : { cursor: page.nextCursor };
  const { page: number = 1, pages = 1 } = page;
  return number < pages ? { page: number + 1 } : null;
}

/** A call whose items can be walked through, page by page as they are needed. */
export function listCallOf(
  first: Call<unknown>,
  fetchPage: (more: Record<string, unknown>) => Promise<unknown>,
): Call<unknown> {
  const walk = async function* (): AsyncGenerator<unknown> {
    for (let page = (await first) as Page; ; ) {
      yield* page.data;
      const more = next(page);
      if (more === null) return;
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
