import type { Sender } from './sender.ts';
import type { TargetUrl } from './target-url.ts';

export interface FetchJsonOptions {
  /** Default 5,000. */
  deadlineMs?: number;
  /** Longest document. Default 256 KiB: key sets of large identity providers have about 30. */
  maxBytes?: number;
}

export type FetchedJson = { ok: true; value: unknown } | { ok: false; reason: string };

/**
 * Gets a small JSON document, such as the key set of an identity provider, under the same guard as every other request: permitted
 * addresses only, no redirects, bounded in time and bytes. Only status 200 with a complete document is a success. Never rejects.
 */
export async function fetchJson(sender: Sender, url: TargetUrl, options: FetchJsonOptions = {}): Promise<FetchedJson> {
  const maxBytes = options.maxBytes ?? 256 * 1024;
  const outcome = await sender.send({
    url,
    method: 'GET',
    headers: ['accept', 'application/json', 'accept-encoding', 'identity'],
    body: '',
    deadlineMs: options.deadlineMs ?? 5_000,
    bodyLimits: { keep: maxBytes, read: maxBytes + 1 },
  });
  if (outcome.kind === 'failure') return { ok: false, reason: `${outcome.errorClass}: ${outcome.message}` };
  if (outcome.status !== 200) return { ok: false, reason: `status ${outcome.status}` };
  if (outcome.bodyTruncated) return { ok: false, reason: `longer than ${maxBytes} bytes` };
  try {
    return { ok: true, value: JSON.parse(outcome.body) as unknown };
  } catch {
    return { ok: false, reason: 'not a JSON document' };
  }
}
