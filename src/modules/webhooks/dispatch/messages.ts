import { type FromThread, type ToThread, writeAttempt } from '../engine/thread-messages.ts';
import type { Ticket } from '../engine/types.ts';

/** What is handed over, and what is said about it, between workers of one installation that may be of two versions. */

/** Raised when an older worker could misunderstand a message. Workers of two numbers leave each other alone. */
export const VERSION = 2;

/** Attempts of one holder, to be made by whoever takes them. */
export interface Handed {
  v: number;
  /** The node that wants to know the outcomes. */
  from: string;
  batch: number;
  /** When it was handed over, by the wall clock of the holder: what is stored or sent again later is not new. Milliseconds. */
  at: number;
  /** Each with the version under which the holder knows it. Their addresses, headers and secrets do not travel. */
  endpoints: [id: string, version: number][];
  contents: ToThread['contents'];
  /** As of a thread's message; an id is the holder's, an endpoint its index. */
  attempts: ToThread['attempts'];
}

/** What a worker brings or asks a holder; each is answered. */
export type Question =
  | {
      kind: 'outcomes';
      worker: string;
      outcomes: FromThread;
      /** Ids of attempts that the worker cannot make. */
      back: number[];
    }
  /** Which attempts of these batches it should make; of those that it has, it says thereby that it is at it. */
  | { kind: 'wanted'; worker: string; batches: number[] };

/** Per batch the ids that the asker should make; null: the holder does not know it (any more). */
export type Wanted = (number[] | null)[];

/** What is said to a node, or to all. */
export type Saying =
  /** All outcomes of these batches have rows. */
  | { kind: 'written'; from: string; batches: number[] }
  /** This worker is there, and makes so many attempts at once. `full`: it has more of its own than it has room for. */
  | { kind: 'here'; v: number; node: string; slots: number; full?: boolean }
  /** It takes no more. */
  | { kind: 'gone'; node: string };

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const decode = (data: Uint8Array): unknown =>
  JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());

export const writeQuestion = (question: Question): Uint8Array => encode(question);
/** Null: of a kind that this version does not know. */
export function readQuestion(data: Uint8Array): Question | null {
  const question = decode(data) as Question;
  return question.kind === 'outcomes' || question.kind === 'wanted' ? question : null;
}
export const writeWanted = (wanted: Wanted): Uint8Array => encode(wanted);
export const readWanted = (data: Uint8Array): Wanted => decode(data) as Wanted;
export const writeSaying = (saying: Saying): Uint8Array => encode(saying);
/** May be of a kind that this version does not know. */
export const readSaying = (data: Uint8Array): Saying => decode(data) as Saying;

/** A batch of attempts as bytes. */
export function writeHanded(
  from: string,
  batch: number,
  at: number,
  attempts: readonly { id: number; ticket: Ticket; version: number }[],
): Uint8Array {
  const to: ToThread = { forget: false, endpoints: [], keys: [], contents: [], attempts: [] };
  const endpoints: Handed['endpoints'] = [];
  const numbers = new Map<string, number>();
  for (const { id, ticket, version } of attempts) {
    let number = numbers.get(ticket.endpoint.id);
    if (number === undefined) {
      number = endpoints.length;
      numbers.set(ticket.endpoint.id, number);
      endpoints.push([ticket.endpoint.id, version]);
    }
    writeAttempt(to, id, number, ticket);
  }
  const handed: Handed = { v: VERSION, from, batch, at, endpoints, contents: to.contents, attempts: to.attempts };
  return encode(handed);
}

/** Null: of a version that this one does not know. Throws when it is no such message. */
export function readHanded(data: Uint8Array): Handed | null {
  const handed = decode(data) as Handed;
  const { v, from, batch, at, endpoints, contents, attempts } = handed;
  if (Number.isInteger(v) && v !== VERSION) return null;
  const isWhole = v === VERSION && typeof from === 'string' && Number.isInteger(batch) && Number.isFinite(at);
  if (!isWhole || ![endpoints, contents, attempts].every(Array.isArray))
    throw new TypeError('this is no message of attempts');
  return handed;
}
