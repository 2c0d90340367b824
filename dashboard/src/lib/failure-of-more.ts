/** A list of pages as it is now, as `useInfiniteQuery` has it. */
export interface ListNow {
  /** Which list it is: another filter or account makes another one. */
  key: string;
  /** How many of its pages are shown. */
  pages: number;
  hasNextPage: boolean;
  error: Error | null;
  isFetchNextPageError: boolean;
  isFetchingNextPage: boolean;
}

/** What an attempt to read more failed with, and where that was. */
export interface FailureOfMore {
  error: Error;
  key: string;
  pages: number;
}

/**
 * What the last attempt to read more of this list failed with, until it is made again; null: nothing. `kept` is what was told before, which the list itself
 * forgets as soon as it is read anew. It is not told of another list, nor of one that went back to fewer pages or has no more. Gives `kept` itself while it
 * is the same.
 */
export function failureOfMore(kept: FailureOfMore | null, now: ListNow): FailureOfMore | null {
  const { key, pages, hasNextPage, error, isFetchNextPageError, isFetchingNextPage } = now;
  if (isFetchingNextPage || !hasNextPage) return null;
  const still = kept?.key === key && pages >= kept.pages ? kept : null;
  if (!isFetchNextPageError || error === null) return still;
  return still?.error === error ? still : { error, key, pages };
}
