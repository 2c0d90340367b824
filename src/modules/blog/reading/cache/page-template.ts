import { type Octets, octets, strongEtag } from '../../../../platform/http/index.ts';

/** The four counters of a post as they stand in every summary, and what differs by caller. */
const HOLES = /"likeCount":\d+,"commentCount":\d+,"viewCount":\d+,"shareCount":\d+|"likedByMe":(?:true|false)/g;

export interface Counters {
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
}

/** As JSON.stringify writes them within a summary. */
export const countersText = (c: Counters): string =>
  `"likeCount":${c.likeCount},"commentCount":${c.commentCount},"viewCount":${c.viewCount},"shareCount":${c.shareCount}`;

/** The part of it that people see: likes and comments. */
export const seenCounters = (text: string): string => text.slice(0, text.indexOf(',"viewCount"'));

export interface Ready {
  etag: string;
  /** See `octets`. */
  bytes: Octets;
}

/**
 * The JSON of a reply, cut where counters stand, so that a like or a view costs no new reply. Text of users cannot look
 * like a hole: within a JSON string every quote has a backslash before it.
 */
export class PageTemplate {
  /** Around the holes; one more than there are holes. */
  readonly #parts: readonly string[];
  /** Which hole says whether the caller likes the post; -1: none. */
  readonly #likedAt: number;
  /** Of everything but the holes. */
  readonly #etag: string;
  /** Of the holes with counters, in order, as they were when the reply was built. */
  readonly counters: readonly string[];

  constructor(body: object) {
    const text = JSON.stringify(body);
    const holes = [...text.matchAll(HOLES)];
    let end = 0;
    const parts: string[] = [];
    for (const hole of holes) {
      parts.push(text.slice(end, hole.index));
      end = hole.index + hole[0].length;
    }
    this.#parts = [...parts, text.slice(end)];
    this.#likedAt = holes.findIndex(([hole]) => hole.startsWith('"likedByMe"'));
    this.#etag = strongEtag(this.#parts.join(' '));
    this.counters = holes.map(([hole]) => hole).filter((_, i) => i !== this.#likedAt);
  }

  /** Bytes that it takes, about. */
  get size(): number {
    return this.#parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** The reply with these counters, in the order of `counters`. The ETag is the same on every node. */
  render(counters: readonly string[], liked: boolean): Ready {
    const holes = [...counters];
    if (this.#likedAt !== -1) holes.splice(this.#likedAt, 0, `"likedByMe":${liked}`);
    const text = this.#parts.map((part, i) => part + (holes[i] ?? '')).join('');
    return { etag: strongEtag(this.#etag + holes.join()), bytes: octets(text) };
  }
}
