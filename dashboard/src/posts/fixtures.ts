import type { ManagedPost, WritablePost } from '@posthorn/client';
import { type Copy, DraftKeeper, type KeeperDeps } from './draft-keeper.ts';

export const POST = {
  id: '1',
  status: 'DRAFT',
  version: 1,
  title: 'A title',
  slug: 'a-title',
  excerpt: '',
  body: 'text',
  coverImageUrl: null,
  coverImageAlt: null,
  category: null,
  tags: [],
  seoTitle: null,
  seoDescription: null,
  featured: false,
} as unknown as ManagedPost;

export class Refused extends Error {
  readonly kind: 'conflict' | 'offline' | 'refused';
  constructor(kind: 'conflict' | 'offline' | 'refused') {
    super(kind);
    this.kind = kind;
  }
}

/** A service that holds one post, with a time that stands until it is told to go on. */
export function place(post: ManagedPost = POST) {
  const here = {
    post,
    /** How the next saves fail; `unheard`: it is done, but the reply is lost. */
    fails: [] as (Refused['kind'] | 'unheard')[],
    saves: [] as WritablePost[],
    /** The versions that saves were sent for, also those that failed. */
    askedOn: [] as number[],
    kept: [] as readonly Copy[],
    now: 1000,
    /** Something that happens while a save is under way. */
    during: () => undefined as void,
  };
  const replies = new Map<string, ManagedPost>();
  let pending: { act: () => void; ms: number } | null = null;
  const deps: KeeperDeps = {
    async save({ changes, version, idempotencyKey }) {
      here.askedOn.push(version);
      here.during();
      const failure = here.fails.shift();
      if (failure && failure !== 'unheard') throw new Refused(failure);
      const earlier = replies.get(idempotencyKey);
      if (earlier) return earlier;
      if (version !== here.post.version) throw new Refused('conflict');
      here.saves.push(changes);
      here.post = { ...here.post, ...changes, version: version + 1 };
      if (changes.title) here.post.title = changes.title.trim();
      if (changes.tags) here.post.tags = [...new Set(changes.tags.map((tag) => tag.toLowerCase()))];
      replies.set(idempotencyKey, here.post);
      if (failure === 'unheard') throw new Refused('offline');
      return here.post;
    },
    load: async () => here.post,
    failureOf: (error) => {
      const { kind } = error as Refused;
      return kind === 'refused' ? { kind, error } : { kind };
    },
    later(act, ms) {
      const mine = { act, ms };
      pending = mine;
      return () => {
        if (pending === mine) pending = null;
      };
    },
    now: () => here.now,
    backUp: (copies) => (here.kept = copies),
  };
  const keeper = new DraftKeeper(post, deps);
  /** Lets what is due after `ms` happen. */
  const pass = async (ms: number): Promise<void> => {
    if (pending?.ms !== ms) throw new Error(`due is ${pending?.ms}, not ${ms}`);
    const { act } = pending;
    pending = null;
    act();
    await new Promise((done) => setImmediate(done));
  };
  const keptBodies = (): string[] => here.kept.map(({ fields }) => fields.body);
  return { here, keeper, pass, keptBodies, isDue: () => pending !== null };
}
