import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

export interface Cipher {
  /** AES-256-GCM with a random nonce, bound to `context` (what the value is for): `v1.<nonce>.<tag>.<text>` in base64url. */
  seal(plain: string, context: string): string;
  /** The plain text. Throws when the text was changed, sealed under another key or for another context. */
  open(sealed: string, context: string): string;
  /**
   * HMAC-SHA256 in base64url, under a key of its own derived from the master key: to compare texts that may hold a
   * password. A plain hash of such a text in the database would let who reads it guess the password at full speed.
   */
  digest(...parts: readonly string[]): string;
  /** HMAC-SHA256 of bytes, under a key for this purpose alone, derived from the master key. 32 bytes. */
  mac(purpose: string): (data: Uint8Array) => Buffer;
}

/** A cipher under a master key of 32 bytes (contract: "Callers", stored secrets). */
export function createCipher(masterKey: Buffer): Cipher {
  if (masterKey.length !== 32) throw new Error('the master key must have 32 bytes');
  const key = createSecretKey(masterKey);
  const digestKey = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'posthorn digest v1', 32)));
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', ...[nonce, cipher.getAuthTag(), text].map((b) => b.toString('base64url'))].join('.');
    },
    open(sealed, context) {
      const [version, nonce = '', tag = '', text = ''] = sealed.split('.');
      if (version !== 'v1') throw new Error('not a sealed value of this version');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
    },
    digest(...parts) {
      const hmac = createHmac('sha256', digestKey);
      for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
      return hmac.digest('base64url');
    },
    mac(purpose) {
      const macKey = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', `posthorn mac v1 ${purpose}`, 32)));
      return (data) => createHmac('sha256', macKey).update(data).digest();
    },
  };
}
