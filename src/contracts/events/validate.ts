import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isUuid } from '../../lib/ids.ts';
import type { ErrorDetail } from '../errors.ts';
import { type AnyEventData, type EventName, entryOf } from './catalogue.ts';
import { type AmountPlan, amountPlan, amountsFit, currencyDetails } from './money.ts';

const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const digits2 = (s: string, at: number): number => s.charCodeAt(at) * 10 + s.charCodeAt(at + 1) - 528;

/**
 * RFC 3339 §5.6 with `T` and `Z` in upper case. A leap second is refused, since no JavaScript date can hold it.
 * Never allocates, unlike the one of ajv-formats.
 */
function isDateTime(s: string): boolean {
  if (!DATE_TIME.test(s)) return false;
  const day = digits2(s, 8);
  if (day <= 28) return true;
  const month = digits2(s, 5);
  if (month !== 2) return day <= 30 || !(month === 4 || month === 6 || month === 9 || month === 11);
  const century = digits2(s, 0);
  const year = digits2(s, 2);
  return day === 29 && (year === 0 ? century % 4 === 0 : year % 4 === 0);
}

/**
 * `allErrors`, so that a publisher sees all faults at once. The two formats are our own: that of ajv-formats for
 * date-time allocates, and that for uuid lets `urn:uuid:…` pass, which equals no stored id.
 */
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  formats: { 'date-time': { type: 'string', validate: isDateTime }, uuid: { type: 'string', validate: isUuid } },
});

interface Compiled {
  validate: ValidateFunction;
  /** Null for events without amounts. */
  amounts: AmountPlan | null;
}

const compiled = new Map<EventName, Compiled>();

function compile(name: EventName): Compiled {
  const schema = entryOf(name).data;
  const plan = amountPlan(schema);
  const amounts = plan.fields.length + plan.nested.length > 0 ? plan : null;
  const made = { validate: ajv.compile(schema), amounts };
  compiled.set(name, made);
  return made;
}

/** A publisher mends a few faults at a time; a hostile one must not turn 2 MiB of body into as many details. */
const MAX_DETAILS = 50;
const MAX_NAME = 64;

function detailOf(error: ErrorObject, prefix: string): ErrorDetail {
  const path = prefix + error.instancePath.replaceAll('/', '.');
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return { path: `${path}.${String(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return {
        path: `${path}.${String(params.additionalProperty).slice(0, MAX_NAME)}`,
        message: 'is not a known field',
      };
    case 'enum':
      return { path, message: `must be one of ${(params.allowedValues as string[]).join(', ')}` };
    case 'format':
      return { path, message: params.format === 'uuid' ? 'must be a UUID' : 'must be an RFC 3339 date-time' };
    default:
      return { path, message: error.message ?? 'is not valid' };
  }
}

/** Given along on each call; left out, Ajv's code makes an empty object for it every time. */
const ROOT: Parameters<ValidateFunction>[1] = {
  instancePath: '',
  parentData: {},
  parentDataProperty: '',
  rootData: {},
  dynamicAnchors: {},
};

const NONE: readonly ErrorDetail[] = Object.freeze([]);

/**
 * What is wrong with the payload of an event; empty when it fits its schema and no amount has more digits than its
 * currency. Paths are `<prefix>.items.0.price`. Runs for every published event and allocates nothing when all is well.
 */
export function validateEventData(name: EventName, data: unknown, prefix = 'data'): readonly ErrorDetail[] {
  const { validate, amounts } = compiled.get(name) ?? compile(name);
  if (!validate(data, ROOT)) {
    const details = (validate.errors ?? []).slice(0, MAX_DETAILS).map((e) => detailOf(e, prefix));
    validate.errors = null;
    return details;
  }
  if (amounts === null) return NONE;
  const fields = data as AnyEventData;
  // Absent only where the schema lets both amount and currency be absent.
  if (typeof fields.currency !== 'string' || amountsFit(amounts, fields, fields.currency)) return NONE;
  return currencyDetails(amounts, fields, fields.currency, prefix).slice(0, MAX_DETAILS);
}
