import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../../lib/cipher.ts';

/** What a preview link says. */
export interface Preview {
  postId: string;
  /** Ending a post's links raises its number; links of a lower one are dead. */
  generation: number;
  expiresAt: Date;
}

/** Post id, generation, and expiry in milliseconds. Bytes. */
const [ID, GENERATION, EXPIRY] = [16, 4, 6];
const TOKEN = /^([A-Za-z0-9_-]{35})\.([A-Za-z0-9_-]{43})$/;

/** The keyed digest has its key from the master key; the first part keeps these apart from what else it is used for. */
const signatureOf = (payload: string, cipher: Pick<Cipher, 'digest'>): string =>
  cipher.digest('preview link v1', payload);

/** A token that says this, signed: 79 characters that stand in a URL as they are. */
export function signPreview({ postId, generation, expiresAt }: Preview, cipher: Pick<Cipher, 'digest'>): string {
  const bytes = Buffer.alloc(ID + GENERATION + EXPIRY);
  bytes.write(postId.replaceAll('-', ''), 'hex');
  bytes.writeUInt32BE(generation, ID);
  bytes.writeUIntBE(expiresAt.getTime(), ID + GENERATION, EXPIRY);
  const payload = bytes.toString('base64url');
  return `${payload}.${signatureOf(payload, cipher)}`;
}

/** What a token says, or null for one that was not signed here. The signature is compared in constant time. */
export function readPreview(token: string, cipher: Pick<Cipher, 'digest'>): Preview | null {
  const [, payload, signature] = TOKEN.exec(token) ?? [];
  if (payload === undefined || signature === undefined) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(payload, cipher)))) return null;
  const bytes = Buffer.from(payload, 'base64url');
  return {
    postId: bytes.toString('hex', 0, ID).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    generation: bytes.readUInt32BE(ID),
    expiresAt: new Date(bytes.readUIntBE(ID + GENERATION, EXPIRY)),
  };
}
