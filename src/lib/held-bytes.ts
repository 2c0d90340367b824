/**
 * Bytes in memory of their own, for what is held. `Buffer.from` cuts what is short (up to 32 kB) out of a block of 64 kB, and zlib out of one of 16: whoever
 * holds the one holds all of the other.
 */
export function heldBytes(content: string | Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(content));
  if (typeof content === 'string') bytes.write(content);
  else content.copy(bytes);
  return bytes;
}
