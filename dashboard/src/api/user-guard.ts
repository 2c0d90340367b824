/** Asks who the cookie of this browser belongs to. */
type Ask = () => Promise<string>;

/**
 * Holds to the user whose pages are shown. The cookie is the browser's: somebody else who signs in on the public site, in
 * another tab, is from then on who this page asks and writes as. Where that is found out `leave` is called, and what waits
 * for the answer waits for ever: the page is about to go.
 */
export class UserGuard {
  #shown: string | null = null;
  #isInUse = true;
  /** No other window was in use since it was asked last. */
  #isSure = false;
  #asked: Promise<void> | null = null;
  /** Resolves when nobody is signing in. */
  #signingIn: Promise<void> = Promise.resolve();
  #ask: Ask = () => Promise.reject(new Error('not started'));
  #leave: () => void = () => undefined;

  start(ask: Ask, leave: () => void): void {
    this.#ask = ask;
    this.#leave = leave;
  }

  /** Nobody is shown any more: whoever signs in next is. */
  forget(): void {
    this.#shown = null;
  }

  /** The service says who it is. Resolves when that is who is shown. */
  async saw(userId: string): Promise<void> {
    if (this.#shown !== null && this.#shown !== userId) {
      this.#leave();
      await new Promise(() => undefined);
    }
    this.#shown = userId;
    this.#isSure = this.#isInUse;
  }

  /**
   * Somebody signs in, until it is known who that is. Whose cookie it is changes somewhere in between, so every other change
   * waits for the end of it, and where it failed is asked for.
   */
  async during(signIn: () => Promise<void>): Promise<void> {
    this.#isSure = false;
    const ended = signIn();
    this.#signingIn = ended.catch(() => {
      this.#isSure = false;
    });
    await ended;
  }

  /** Another window may be in use from now on. */
  lookAway(): void {
    this.#isInUse = false;
    this.#isSure = false;
  }

  /** This window is in use again. */
  async lookHere(): Promise<void> {
    this.#isInUse = true;
    // A failure says nothing: the next change asks again.
    await this.beforeChange().catch(() => undefined);
  }

  /** Resolves when a change can be sent in the name of who is shown; rejects where that cannot be found out. */
  async beforeChange(): Promise<void> {
    await this.#signingIn;
    if (this.#shown !== null && !this.#isSure) await this.#check();
  }

  /** Asks again who it is. */
  #check(): Promise<void> {
    this.#asked ??= this.#ask()
      .then((userId) => this.saw(userId))
      .finally(() => {
        this.#asked = null;
      });
    return this.#asked;
  }
}

/** That of this page. */
export const userGuard = new UserGuard();
