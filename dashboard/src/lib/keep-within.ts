/**
 * For `placeholderData`: what was shown before stays until the next is there, as long as it belongs to the same `owner`, the
 * second part of the key of both. Another's would stand under the wrong name meanwhile.
 */
export const keepWithin =
  (owner: string | null) =>
  <Data>(previous: Data | undefined, of?: { queryKey: readonly unknown[] }): Data | undefined =>
    of?.queryKey[1] === owner ? previous : undefined;
