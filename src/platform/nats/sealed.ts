import { timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 32;

/** Puts the code of whoever has the master key before a message, and reads only what has it. */
export interface Seal {
  readonly overhead: number;
  close(data: Uint8Array): Uint8Array;
  /** Null: it was written by somebody else, or changed. */
  open(sealed: Uint8Array): Uint8Array | null;
}

/** A seal by this message authentication code of 32 bytes. */
export const sealBy = (mac: (data: Uint8Array) => Uint8Array): Seal => ({
  overhead: MAC_BYTES,
  close: (data) => Buffer.concat([mac(data), data]),
  open(sealed) {
    if (sealed.length < MAC_BYTES) return null;
    const data = sealed.subarray(MAC_BYTES);
    return timingSafeEqual(sealed.subarray(0, MAC_BYTES), mac(data)) ? data : null;
  },
});
