import { theContract } from './contract.ts';

export interface CheckedReply {
  status: number;
  headers: Headers;
  /** Undefined without a body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
  body: any;
}

/**
 * A request to a service that is a process of its own, whose reply is held against openapi.json. Throws as `fetch` when
 * there is no whole reply, and AssertionError for one that is not declared.
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<CheckedReply> {
  const reply = await fetch(url, { redirect: 'manual', ...init });
  const text = await reply.text();
  const { status, headers } = reply;
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  const { pathname } = new URL(url);
  if (pathname.startsWith('/v1/')) {
    theContract().check({ method: init.method ?? 'GET', path: pathname, status, headers, body });
  }
  return { status, headers, body };
}
