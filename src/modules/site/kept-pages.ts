import { heldBytes } from '../../lib/held-bytes.ts';
import { Markup } from '../../lib/markup.ts';
import { type PageReply, strongEtag } from '../../platform/http/index.ts';
import type { Blog, Still } from '../blog/index.ts';

/** A page beyond this part of the room is not kept: it would push out what many ask for. */
const LARGEST_SHARE = 8;
/** What a page takes besides its key and its body, with the three or four replies that most are made of. Bytes. */
const OVERHEAD_BYTES = 3500;

interface Kept {
  reply: PageReply;
  still: Still;
  size: number;
  wasUsed: boolean;
}

export interface KeptPagesOptions {
  /** 0: nothing is kept. */
  maxBytes: number;
  watch: Blog['pages']['watch'];
}

/**
 * Pages for nobody in particular, each as long as everything that it was made of would be read the same again: so a page is as fresh as the replies of
 * the API (docs/adr/0042). At most `maxBytes` of them; what was not asked for lately goes first.
 */
export class KeptPages {
  readonly #options: KeptPagesOptions;
  readonly #pages = new Map<string, Kept>();
  #bytes = 0;

  constructor(options: KeptPagesOptions) {
    this.#options = options;
  }

  /** `key`: all that the page depends on besides what it reads by the reads it is given. Throws what `make` throws. */
  async reply(key: string, make: (reads: Blog['pages']['reads']) => Promise<PageReply>): Promise<PageReply> {
    const kept = this.#pages.get(key);
    if (kept) {
      if (await isStill(kept)) {
        kept.wasUsed = true;
        return kept.reply;
      }
      // Another request may have made it anew meanwhile.
      if (this.#pages.get(key) === kept) this.#remove(key);
    }
    const watched = this.#options.watch();
    const reply = await make(watched.reads);
    const still = watched.still();
    return still === null ? reply : this.#keep(key, reply, still);
  }

  #keep(key: string, reply: PageReply, still: Still): PageReply {
    const { maxBytes } = this.#options;
    const { status, body, cookies } = reply;
    const text = body instanceof Markup ? body.toString() : body;
    if (status !== 200 || typeof text !== 'string' || cookies !== undefined || maxBytes === 0) return reply;
    const bytes = heldBytes(text);
    const made = { ...reply, body: bytes, etag: strongEtag(bytes) };
    // A text takes up to two bytes for a character; compressed in both ways it takes less than half as much again.
    const size = 2 * key.length + 1.5 * bytes.length + OVERHEAD_BYTES;
    // As text: only what is held is worth compressing.
    if (size * LARGEST_SHARE > maxBytes) return { ...made, body: text };
    this.#remove(key);
    this.#pages.set(key, { reply: made, still, size, wasUsed: false });
    this.#bytes += size;
    // Oldest first; what was asked for since gets another round.
    for (const [oldest, page] of this.#pages) {
      if (this.#bytes <= maxBytes) break;
      if (page.wasUsed) {
        page.wasUsed = false;
        this.#pages.delete(oldest);
        this.#pages.set(oldest, page);
      } else this.#remove(oldest);
    }
    return made;
  }

  #remove(key: string): void {
    this.#bytes -= this.#pages.get(key)?.size ?? 0;
    this.#pages.delete(key);
  }
}

/** A failure to tell is one of reading, which making the page meets as well, and tells. */
const isStill = ({ still }: Kept): Promise<boolean> => still().catch(() => false);
