import type { ManagedPost, WritablePost } from '@posthorn/client';
import { afterSave, changedOnTop, changesOf, differing, type Fields, fieldsOf, firstFault } from './fields.ts';
import { randomKey } from '@posthorn/client';
import { statusAt } from './live-status.ts';

/** Why a save did not succeed: `refused` needs the writer, `offline` only time. */
export type SaveFailure = { kind: 'conflict' | 'offline' } | { kind: 'refused'; error: unknown };

export interface KeeperDeps {
  save: (attempt: Attempt) => Promise<ManagedPost>;
  load: () => Promise<ManagedPost>;
  /** What a failed call means. */
  failureOf: (error: unknown) => SaveFailure;
  /** Calls `act` after `ms`, unless what it returns is called before. */
  later: (act: () => void, ms: number) => () => void;
  now: () => number;
  /** Keeps over a closed window what no save has taken: all of it, in place of what was kept before. */
  backUp: (copies: readonly Copy[]) => void;
}

/** A save as it is sent, each time the same. */
export interface Attempt {
  changes: WritablePost;
  /** Of the post that they are for. */
  version: number;
  autosave: boolean;
  /** By this the service knows what it has done already. */
  idempotencyKey: string;
}

interface Sending {
  attempt: Attempt;
  /** What the form held. */
  sent: Fields;
  /** The writer asked for it, of a post that was public: readers are to see it. */
  isUpdate: boolean;
}

/** What a post was to be, and is not on the service. */
export interface Copy {
  /** Of the post that it was written on. */
  version: number;
  fields: Fields;
  /** When it was kept. */
  at: string;
}

export type SaveState =
  | { kind: 'saved'; at: number | null }
  | { kind: 'dirty' }
  | { kind: 'saving' }
  | { kind: 'offline' }
  /** `error`: what the call threw, or a sentence. */
  | { kind: 'refused'; error: unknown }
  /**
   * `merged`: what the writer makes of the two; null while both are only looked at. `isUpdate`: it was met by a save that the
   * writer wanted readers to see.
   */
  | { kind: 'conflict'; theirs: ManagedPost; merged: Fields | null; isUpdate: boolean };

export interface Draft {
  /** As the service has it. */
  post: ManagedPost;
  /** As the form has it. */
  fields: Fields;
  state: SaveState;
  /** What else was written and never saved: each stays until the writer takes or forgets it. */
  aside: readonly Copy[];
}

/** Typing rests this long before it is saved. Milliseconds. */
export const REST_MS = 1200;
/** While the service cannot be reached, it is tried again this often. Milliseconds. */
export const OFFLINE_MS = 4000;
/** From so long before a scheduled post is public: a save may be under way for a while, and the clocks differ. Milliseconds. */
export const BEFORE_LIVE_MS = 10_000;

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
  /** The save whose reply did not come: it may have been done. */
  #unanswered: Sending | null = null;

  constructor(post: ManagedPost, deps: KeeperDeps) {
    this.#deps = deps;
    this.#draft = { post, fields: fieldsOf(post), state: { kind: 'saved', at: null }, aside: [] };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): Draft => this.#draft;

  /** Whatever changes, what is kept in the browser is all that the service does not have: no way leads past this. */
  #set(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change };
    this.#deps.backUp(this.#unsaved());
    for (const listener of this.#listeners) listener();
  }

  #unsaved(): Copy[] {
    const { fields, state, aside } = this.#draft;
    const merged = state.kind === 'conflict' && state.merged ? [this.#copyOf(state.merged)] : [];
    return [...merged, ...(this.#differs() ? [this.#copyOf(fields)] : []), ...aside];
  }

  #copyOf(fields: Fields): Copy {
    return { version: this.#draft.post.version, fields, at: new Date(this.#deps.now()).toISOString() };
  }

  /** Whether there is anything to save. What may have been saved, or not, is. */
  get isDirty(): boolean {
    return this.#unanswered !== null || this.#differs();
  }

  #differs(): boolean {
    return differing(fieldsOf(this.#draft.post), this.#draft.fields).length > 0;
  }

  /** Whether changes go to the service by themselves: not to a post that is public, or will be any moment. */
  get savesByItself(): boolean {
    return statusAt(this.#draft.post, this.#deps.now() + BEFORE_LIVE_MS) !== 'PUBLISHED';
  }

  /** The writer changed something. */
  change(fields: Partial<Fields>): void {
    this.#set({ fields: { ...this.#draft.fields, ...fields } });
    if (this.#draft.state.kind === 'conflict' || this.#saving) return;
    this.#rest();
    if (!this.isDirty) this.#set({ state: { kind: 'saved', at: null } });
  }

  /** What is not saved waits until typing rests, or until it is asked for. */
  #rest(): void {
    if (!this.isDirty || this.#draft.state.kind === 'conflict') return this.#cancel();
    this.#set({ state: { kind: 'dirty' } });
    if (this.#mayGoUnasked) this.#schedule(this.savesByItself ? REST_MS : OFFLINE_MS);
  }

  #schedule(ms: number): void {
    this.#cancel();
    this.#cancel = this.#deps.later(() => void this.save(true), ms);
  }

  /** Before something is done with the post: saves what goes by itself. Resolves with whether it can be done. */
  async flush(): Promise<boolean> {
    if (this.savesByItself) return this.save();
    while (this.#saving) await this.#saving;
    return this.#draft.state.kind !== 'conflict';
  }

  /** Saves what is not saved, also to readers, unless nobody asked. Resolves with whether everything is, afterwards. */
  async save(autosave = false): Promise<boolean> {
    this.#cancel();
    // Asked again after each wait: another one that waited may have begun first.
    while (this.#saving) await this.#saving;
    if (this.#draft.state.kind === 'conflict') return false;
    if (!this.isDirty) return true;
    if (autosave && !this.#mayGoUnasked) return false;
    this.#saving = this.#saveOnce(autosave).finally(() => (this.#saving = null));
    const isSaved = await this.#saving;
    // What was written meanwhile.
    if (isSaved && this.isDirty) {
      if (!autosave && this.savesByItself) return this.save();
      this.#rest();
    }
    return isSaved && !this.isDirty;
  }

  /** An update that readers were to see is tried again without being asked for again. */
  get #mayGoUnasked(): boolean {
    return this.savesByItself || this.#unanswered?.isUpdate === true;
  }

  async #saveOnce(autosave: boolean): Promise<boolean> {
    // First what may have been done already, as it was: with other words it would be a conflict with oneself.
    const sending = this.#unanswered ?? this.#nextSending(autosave);
    const { attempt, sent, isUpdate } = sending;
    const base = fieldsOf(this.#draft.post);
    // All that differs is what the service cannot take, such as half a slug: it waits for the writer.
    if (Object.keys(attempt.changes).length === 0) {
      this.#set({ state: { kind: 'refused', error: firstFault(base, sent) } });
      return false;
    }
    this.#set({ state: { kind: 'saving' } });
    try {
      const saved = await this.#deps.save(attempt);
      this.#unanswered = null;
      this.#take(saved, attempt.changes, sent, base);
      return true;
    } catch (error) {
      const failure = this.#deps.failureOf(error);
      this.#unanswered = failure.kind === 'offline' ? sending : null;
      return this.#failed(failure, isUpdate);
    }
  }

  #nextSending(autosave: boolean): Sending {
    const { post, fields } = this.#draft;
    const changes = changesOf(fieldsOf(post), fields);
    return {
      attempt: { changes, version: post.version, autosave, idempotencyKey: randomKey() },
      sent: fields,
      isUpdate: !autosave && !this.savesByItself,
    };
  }

  #take(saved: ManagedPost, changes: WritablePost, sent: Fields, base: Fields): void {
    const fields = afterSave(fieldsOf(saved), sent, base, this.#draft.fields);
    // As it was sent: a text that the service trimmed, or a tag that it left out, is not "changed" for ever.
    const post = { ...saved, ...changes };
    this.#set({ post, fields, state: { kind: 'saved', at: this.#deps.now() } });
  }

  /** Resolves with whether the service has everything all the same. */
  async #failed(failure: SaveFailure, isUpdate: boolean): Promise<boolean> {
    if (failure.kind === 'conflict') {
      try {
        return this.#meet(await this.#deps.load(), isUpdate);
      } catch (error) {
        return this.#failed(this.#deps.failureOf(error), isUpdate);
      }
    }
    this.#set({ state: failure.kind === 'refused' ? failure : { kind: 'offline' } });
    if (failure.kind === 'offline' && this.#mayGoUnasked) this.#schedule(OFFLINE_MS);
    return false;
  }

  /** There is another version than the one that was written on: no conflict when it holds the same. */
  #meet(theirs: ManagedPost, isUpdate: boolean): boolean {
    // What only they changed is theirs: nobody decided against it.
    const fields = changedOnTop(fieldsOf(this.#draft.post), this.#draft.fields, fieldsOf(theirs));
    const isSame = differing(fields, fieldsOf(theirs)).length === 0;
    this.#set(
      isSame
        ? { post: theirs, fields, state: { kind: 'saved', at: this.#deps.now() } }
        : { fields, state: { kind: 'conflict', theirs, merged: null, isUpdate } },
    );
    return isSame;
  }

  /** The writer makes one of the two versions of a conflict; begins with mine. */
  merge(change: Partial<Fields>): void {
    const { state, fields } = this.#draft;
    if (state.kind !== 'conflict') return;
    this.#set({ state: { ...state, merged: { ...(state.merged ?? fields), ...change } } });
  }

  /**
   * The writer decided over a conflict: these are the fields, on top of the version that the other one saved. What the
   * decision leaves of mine is set aside. What is public by now waits for the writer, unless it was an update already.
   */
  async resolve(decided: Fields): Promise<boolean> {
    const { state, fields, aside } = this.#draft;
    if (state.kind !== 'conflict') return true;
    // Also what was begun of a merge, when one of the two is taken as it is.
    const merged = state.merged && differing(state.merged, fields).length > 0 ? [state.merged] : [];
    const mine = [...merged, fields];
    const left = mine.filter((one) => differing(one, decided).length > 0).map((one) => this.#copyOf(one));
    this.#set({ post: state.theirs, fields: decided, state: { kind: 'dirty' }, aside: [...left, ...aside] });
    const isSaved = state.isUpdate || this.savesByItself ? await this.save() : !this.isDirty;
    if (isSaved) this.#set({ state: { kind: 'saved', at: this.#deps.now() } });
    return isSaved;
  }

  /** Copies that were left behind: those that differ from the post wait for an answer. */
  offer(copies: readonly Copy[]): void {
    const { post, aside } = this.#draft;
    const other = copies.filter((copy) => differing(fieldsOf(post), copy.fields).length > 0);
    this.#set({ aside: [...aside, ...other] });
  }

  /** The writer takes a copy into the form. What was there and is not saved waits in its place. */
  take(copy: Copy): void {
    const { fields, aside } = this.#draft;
    const swapped = this.#differs() ? [this.#copyOf(fields)] : [];
    this.#set({ aside: [...swapped, ...aside.filter((one) => one !== copy)] });
    this.change(copy.fields);
    // Not as an autosave: what it replaces stays in the history for sure.
    if (this.savesByItself) void this.save();
  }

  /** The writer does not want a copy any more. */
  forget(copy: Copy): void {
    this.#set({ aside: this.#draft.aside.filter((one) => one !== copy) });
  }

  /**
   * Does something with the stored post besides writing: publishes it, takes it back. Saves wait for it. What was not saved
   * before, or is written meanwhile, stays on top of what it gives.
   */
  async act(call: (version: number) => Promise<ManagedPost>): Promise<ManagedPost> {
    this.#cancel();
    while (this.#saving) await this.#saving;
    const acting = call(this.#draft.post.version);
    const settled = acting.then(
      (post) => this.#adopt(post),
      () => false,
    );
    this.#saving = settled.finally(() => (this.#saving = null));
    try {
      return await acting;
    } finally {
      await this.#saving;
      this.#rest();
    }
  }

  #adopt(post: ManagedPost): boolean {
    // It was done on the version before: a save whose reply is missing was not.
    this.#unanswered = null;
    const fields = changedOnTop(fieldsOf(this.#draft.post), this.#draft.fields, fieldsOf(post));
    this.#set({ post, fields, state: { kind: 'saved', at: this.#deps.now() } });
    return true;
  }

  /** No more saves by itself. */
  stop(): void {
    this.#cancel();
  }
}
