import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createGate } from './gate.ts';

interface Cost {
  /** log2 of N. */
  ln: number;
  r: number;
  p: number;
}

/** 32 MiB and about 80 ms for each hash on the machines that this was measured on; each more doubles both. */
const USUAL_COST = 15;
const costOf = (ln: number): Cost => ({ ln, r: 8, p: 1 });
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** scrypt takes a thread of libuv's pool of four; files and DNS need the others during a storm of sign-ins. */
const AT_ONCE = 2;
/** About eight seconds of work. Who is further back is better told to come again. */
const WAITING = 200;

const gate = createGate(AT_ONCE, WAITING);

/** NFKC, since keyboards write the same password in several ways (NIST SP 800-63B, section 5.1.1.2). */
const derive = (password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> =>
  gate(
    () =>
      new Promise((done, fail) => {
        const N = 2 ** ln;
        const options = { N, r, p, maxmem: 256 * N * r };
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? fail(error) : done(hash),
        );
      }),
  );

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/**
 * A hash that says how it was made: `$scrypt$ln=15,r=8,p=1$<salt>$<hash>` (PHC string format). Two hashes of one
 * password differ. `ln`: log2 of scrypt's N. Throws GateFullError when too many are waiting.
 */
export async function hashPassword(password: string, ln: number = USUAL_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = costOf(ln);
  const hash = await derive(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const NO_SALT = Buffer.alloc(SALT_BYTES);

/**
 * Whether the password belongs to the hash. Null (there is no such user, or one without password) takes as long and is
 * false, so the time of an answer does not tell which e-mail addresses have an account. `usual`: log2 of N
 * of new hashes.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  usual: number = USUAL_COST,
): Promise<boolean> {
  const [, ln, r, p, salt, hash] = (stored === null ? null : FORM.exec(stored)) ?? [];
  if (salt === undefined || hash === undefined) {
    await derive(password, NO_SALT, costOf(usual));
    return false;
  }
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, 'base64');
  const found = await derive(password, Buffer.from(salt, 'base64'), cost);
  return expected.length === found.length && timingSafeEqual(expected, found);
}
