import { DomUtils, parseDocument } from 'htmlparser2';

type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];

/** What the site answered, and how tests look at it. */
export class SitePage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  #document: ReturnType<typeof parseDocument> | undefined;

  constructor(reply: Response, text: string) {
    this.status = reply.status;
    this.headers = reply.headers;
    this.text = text;
  }

  get location(): string {
    return this.headers.get('location') ?? '';
  }

  /** Elements of a name with these attributes, in order. */
  all(name: string, attributes: Readonly<Record<string, string>> = {}): Element[] {
    this.#document ??= parseDocument(this.text);
    const wanted = Object.entries(attributes);
    return DomUtils.getElementsByTagName(name, this.#document).filter((element) =>
      wanted.every(([key, value]) => element.attribs[key] === value),
    );
  }

  /** The texts of these elements, without white space around and in rows. */
  texts(name: string, attributes: Readonly<Record<string, string>> = {}): string[] {
    return this.all(name, attributes).map((element) => textOf(element));
  }

  /** An attribute of these elements. */
  values(name: string, attribute: string, attributes: Readonly<Record<string, string>> = {}): string[] {
    return this.all(name, attributes).map((element) => element.attribs[attribute] ?? '');
  }

  /** Titles of the posts in the list, in order. */
  get titles(): string[] {
    return this.all('article').flatMap((article) =>
      DomUtils.getElementsByTagName('h2', article).map((heading) => textOf(heading)),
    );
  }
}

export const textOf = (element: Element): string => DomUtils.textContent(element).replaceAll(/\s+/g, ' ').trim();

/** A browser of people: one that drives itself names itself so, and counts as a robot. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/** Somebody with a browser without script: keeps cookies, sends forms, follows nothing by itself. */
export class Visitor {
  readonly #url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<SitePage> {
    return this.#ask(path, { headers: { 'user-agent': BROWSER, ...headers } });
  }

  /** Sends a form, as from a page of the site. */
  send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<SitePage> {
    return this.#ask(path, {
      method: 'POST',
      headers: { 'user-agent': BROWSER, origin: this.#url, ...headers },
      body: new URLSearchParams(fields),
    });
  }

  /** Sends a form, and opens the page that it leads to. */
  async sendAndFollow(path: string, fields: Record<string, string>): Promise<SitePage> {
    const reply = await this.send(path, fields);
    if (reply.status !== 303) throw new Error(`${path}: ${reply.status} instead of 303\n${reply.text}`);
    return this.get(reply.location.split('#', 1)[0] ?? '');
  }

  async #ask(
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
  ): Promise<SitePage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) };
    const reply = await fetch(this.#url + path, { ...init, headers, redirect: 'manual' });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0\b/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return new SitePage(reply, await reply.text());
  }
}
