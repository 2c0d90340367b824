/**
 * One of the parts into which a reader of the log is divided by account, or the whole reader (part 0 of 1). Its name says
 * which accounts it has, so these never change under a cursor or a lease (docs/adr/0034).
 */
export interface Part {
  name: string;
  part: number;
  /** Of how many; a power of two. */
  parts: number;
}

/** Accounts are in one of so many slots; no reader can have more parts. */
export const SLOTS = 64;

/** The value of a hexadecimal digit by its character code. */
const digit = (code: number): number => (code <= 57 ? code - 48 : (code | 32) - 87);

/**
 * The slot of an account: of the last byte of its id, a UUID, which is random. The database computes it alike (`slotSql`). Asked some times for
 * each delivery, so without cutting a string out of the id.
 */
export const slotOf = (accountId: string): number =>
  ((digit(accountId.charCodeAt(accountId.length - 2)) << 4) | digit(accountId.charCodeAt(accountId.length - 1))) &
  (SLOTS - 1);

/** Whether the accounts of a slot are in the part. */
export const hasSlot = ({ part, parts }: Pick<Part, 'part' | 'parts'>, slot: number): boolean =>
  (slot & (parts - 1)) === part;

/** The slots of the accounts in any of these parts. */
export const slotsOf = (parts: readonly Pick<Part, 'part' | 'parts'>[]): number[] =>
  Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => parts.some((p) => hasSlot(p, slot)));

/** The parts that one is divided into when its reader is to have `parts`, a larger power of two. */
export const dividedInto = ({ part, parts: of }: Pick<Part, 'part' | 'parts'>, parts: number): number[] =>
  Array.from({ length: parts / of }, (_, i) => part + i * of);

/**
 * How many of the parts are a node's share. All shares are together as many as there are parts; one more than others have
 * those that hold more already, so that nothing is moved without need. 0 for a node that is not among them.
 */
export function shareOf(
  node: string,
  among: readonly string[],
  held: ReadonlyMap<string, number>,
  parts: number,
): number {
  const heldBy = (id: string): number => held.get(id) ?? 0;
  const order = among.toSorted((a, b) => heldBy(b) - heldBy(a) || (a < b ? -1 : 1));
  const place = order.indexOf(node);
  if (place < 0) return 0;
  return Math.floor(parts / order.length) + (place < parts % order.length ? 1 : 0);
}
