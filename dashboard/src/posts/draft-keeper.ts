import type { ManagedPost, WritablePost } from '@posthorn/client';
import { afterSave, changedOnTop, changesOf, differing, type Fields, fieldsOf, firstFault } from './fields.ts';

/** Why a save did not succeed: `refused` needs the writer, `offline` only time. */
export type SaveFailure = { kind: 'conflict' | 'offline' } | { kind: 'refused'; error: unknown };

export interface KeeperDeps {
  save: (changes: WritablePost, version: number, autosave: boolean) => Promise<ManagedPost>;
  load: () => Promise<ManagedPost>;
  /** What a failed call means. */
  failureOf: (error: unknown) => SaveFailure;
  /** Calls `act` after `ms`, unless what it returns is called before. */
  later: (act: () => void, ms: number) => () => void;
  now: () => number;
  /** Keeps what is not saved over a closed window; null when everything is. */
  backUp: (unsaved: { version: number; fields: Fields } | null) => void;
}

export type SaveState =
  | { kind: 'saved'; at: number | null }
  | { kind: 'dirty' }
  | { kind: 'saving' }
  | { kind: 'offline' }
  /** `error`: what the call threw, or a sentence. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'conflict'; theirs: ManagedPost };

export interface Draft {
  /** As the service has it. */
  post: ManagedPost;
  /** As the form has it. */
  fields: Fields;
  state: SaveState;
}

/** Typing rests this long before it is saved. Milliseconds. */
export const REST_MS = 1200;
/** While the service cannot be reached, it is tried again this often. Milliseconds. */
export const OFFLINE_MS = 4000;

/**
 * Keeps a post that is being written: saves by itself once typing rests (but not what is public: readers would see half a
 * sentence), one save at a time, each on top of the version before it; and stops at a conflict until the writer decides.
 */
export class DraftKeeper {
  #draft: Draft;
  readonly #deps: KeeperDeps;
  readonly #listeners = new Set<() => void>();
  #cancel: () => void = () => undefined;
  #saving: Promise<boolean> | null = null;

  constructor(post: ManagedPost, deps: KeeperDeps) {
    this.#deps = deps;
    this.#draft = { post, fields: fieldsOf(post), state: { kind: 'saved', at: null } };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): Draft => this.#draft;

  #set(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change };
    for (const listener of this.#listeners) listener();
  }

  get isDirty(): boolean {
    return differing(fieldsOf(this.#draft.post), this.#draft.fields).length > 0;
  }

  /** Whether changes go to the service by themselves. */
  get savesByItself(): boolean {
    return this.#draft.post.status !== 'PUBLISHED';
  }

  /** The writer changed something. */
  change(fields: Partial<Fields>): void {
    this.#set({ fields: { ...this.#draft.fields, ...fields } });
    const { state, post } = this.#draft;
    this.#deps.backUp(this.isDirty ? { version: post.version, fields: this.#draft.fields } : null);
    if (state.kind === 'conflict' || this.#saving) return;
    this.#set({ state: this.isDirty ? { kind: 'dirty' } : { kind: 'saved', at: null } });
    if (this.savesByItself) this.#schedule(REST_MS);
  }

  #schedule(ms: number): void {
    this.#cancel();
    this.#cancel = this.#deps.later(() => void this.save(true), ms);
  }

  /** Saves what is not saved. Resolves with whether everything is, afterwards. */
  async save(autosave = false): Promise<boolean> {
    this.#cancel();
    if (this.#saving) await this.#saving;
    if (this.#draft.state.kind === 'conflict') return false;
    if (!this.isDirty) return true;
    this.#saving = this.#saveOnce(autosave).finally(() => (this.#saving = null));
    const isSaved = await this.#saving;
    // What was written meanwhile.
    if (isSaved && this.isDirty) {
      this.#set({ state: { kind: 'dirty' } });
      if (!autosave) return this.save();
      if (this.savesByItself) this.#schedule(REST_MS);
    }
    return isSaved && !this.isDirty;
  }

  async #saveOnce(autosave: boolean): Promise<boolean> {
    const { post, fields: sent } = this.#draft;
    const base = fieldsOf(post);
    const changes = changesOf(base, sent);
    // All that differs is what the service cannot take, such as half a slug: it waits for the writer.
    if (Object.keys(changes).length === 0) {
      this.#set({ state: { kind: 'refused', error: firstFault(base, sent) } });
      return false;
    }
    this.#set({ state: { kind: 'saving' } });
    try {
      this.#take(await this.#deps.save(changes, post.version, autosave), changes, sent, base);
      return true;
    } catch (error) {
      await this.#failed(this.#deps.failureOf(error));
      return false;
    }
  }

  #take(saved: ManagedPost, changes: WritablePost, sent: Fields, base: Fields): void {
    const fields = afterSave(fieldsOf(saved), sent, base, this.#draft.fields);
    // As it was sent: a text that the service trimmed, or a tag that it left out, is not "changed" for ever.
    const post = { ...saved, ...changes };
    this.#set({ post, fields, state: { kind: 'saved', at: this.#deps.now() } });
    this.#deps.backUp(this.isDirty ? { version: post.version, fields } : null);
  }

  async #failed(failure: SaveFailure): Promise<void> {
    if (failure.kind === 'refused') return this.#set({ state: failure });
    if (failure.kind === 'conflict') {
      try {
        const theirs = await this.#deps.load();
        // What only they changed is theirs: nobody decided against it.
        const fields = changedOnTop(fieldsOf(this.#draft.post), this.#draft.fields, fieldsOf(theirs));
        return this.#set({ fields, state: { kind: 'conflict', theirs } });
      } catch (error) {
        return this.#failed(this.#deps.failureOf(error));
      }
    }
    this.#set({ state: { kind: 'offline' } });
    if (this.savesByItself) this.#schedule(OFFLINE_MS);
  }

  /** The writer decided over a conflict: these are the fields, on top of the version that the other one saved. */
  async resolve(fields: Fields): Promise<boolean> {
    const { state } = this.#draft;
    if (state.kind !== 'conflict') return true;
    this.#set({ post: state.theirs, fields, state: { kind: 'dirty' } });
    this.#deps.backUp(null);
    if (await this.save()) {
      this.#set({ state: { kind: 'saved', at: this.#deps.now() } });
      return true;
    }
    return false;
  }

  /** The service has a new state of the post, by what the writer did besides writing: published, restored. */
  adopt(post: ManagedPost): void {
    this.#cancel();
    this.#set({ post, fields: fieldsOf(post), state: { kind: 'saved', at: this.#deps.now() } });
    this.#deps.backUp(null);
  }

  /** No more saves by itself. */
  stop(): void {
    this.#cancel();
  }
}
