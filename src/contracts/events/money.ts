import type { ErrorDetail } from '../errors.ts';

/**
 * Largest amount of an event, in major units. With the four digits of CLF this is 10^15 smallest units: below 2^53, and
 * 15 significant digits come through a double unchanged, so a JSON number holds every amount exactly.
 */
export const MAX_AMOUNT = 100_000_000_000;

/** ISO 4217 list one: the currencies that do not have two digits. (Intl follows CLDR, which differs: IQD, ISK, UYW.) */
const DIGITS = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((c) => [c, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((c) => [c, 3] as const),
  ...'CLF UYW'.split(' ').map((c) => [c, 4] as const),
]);

/** Digits after the decimal point that an amount of the currency can have; 2 for a code that is not in the list. */
export const currencyDigits = (currency: string): number => DIGITS.get(currency) ?? 2;

const SCALE = [1, 10, 100, 1000, 10_000] as const;

/** Whether an amount of 0..MAX_AMOUNT can be paid in the currency, that is, has no more digits than it. Never allocates. */
export function fitsCurrency(amount: number, currency: string): boolean {
  const scale = SCALE[currencyDigits(currency)] as number;
  // Dividing the nearest whole number of smallest units is correctly rounded: it gives back exactly the double that
  // the shorter decimal would have been read as, and any other double is a longer decimal.
  return Math.round(amount * scale) / scale === amount;
}

/** Where the amounts of a data object are; made once per schema. */
export interface AmountPlan {
  readonly fields: readonly string[];
  readonly nested: readonly { readonly field: string; readonly list: boolean; readonly plan: AmountPlan }[];
}

/** The part of JSON Schema that tells where amounts are. */
interface SchemaNode {
  type?: string;
  properties?: Readonly<Record<string, SchemaNode>>;
  items?: SchemaNode;
}

/** Finds the amounts of an object schema: its `number` fields, also in objects and in lists of objects. */
export function amountPlan(schema: SchemaNode): AmountPlan {
  const fields: string[] = [];
  const nested: { field: string; list: boolean; plan: AmountPlan }[] = [];
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    if (node.type === 'number') fields.push(field);
    const list = node.type === 'array';
    const plan = amountPlan((list ? node.items : node) ?? {});
    if (plan.fields.length + plan.nested.length > 0) nested.push({ field, list, plan });
  }
  return { fields, nested };
}

type Data = Readonly<Record<string, unknown>>;

/** Whether every amount in the data fits the currency. The data must fit its schema already. Never allocates. */
export function amountsFit(plan: AmountPlan, data: Data, currency: string): boolean {
  for (const field of plan.fields) {
    const value = data[field];
    if (value !== undefined && !fitsCurrency(value as number, currency)) return false;
  }
  for (const { field, list, plan: inner } of plan.nested) {
    const value = data[field];
    if (value === undefined) continue;
    if (!list) {
      if (!amountsFit(inner, value as Data, currency)) return false;
    } else {
      for (const item of value as readonly Data[]) if (!amountsFit(inner, item, currency)) return false;
    }
  }
  return true;
}

/** One detail for each amount that has more digits than the currency. */
export function currencyDetails(plan: AmountPlan, data: Data, currency: string, path: string): ErrorDetail[] {
  const message = `must have at most ${currencyDigits(currency)} digits after the decimal point (${currency})`;
  const found = plan.fields
    .filter((field) => data[field] !== undefined && !fitsCurrency(data[field] as number, currency))
    .map((field) => ({ path: `${path}.${field}`, message }));
  for (const { field, list, plan: inner } of plan.nested) {
    const value = data[field];
    if (value === undefined) continue;
    const parts = list ? (value as readonly Data[]) : [value as Data];
    for (const [i, part] of parts.entries()) {
      found.push(...currencyDetails(inner, part, currency, `${path}.${field}${list ? `.${i}` : ''}`));
    }
  }
  return found;
}
