import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isDateTime } from '../../lib/date-time.ts';
import { isUuid } from '../../lib/ids.ts';
import { wordsOf } from '../../lib/schema-words.ts';
import type { ErrorDetail } from '../errors.ts';
import { type AnyEventData, type EventName, entryOf } from './catalogue.ts';
import { type AmountPlan, amountPlan, amountsFit, currencyDetails } from './money.ts';

/**
 * `allErrors`, so that a publisher sees all faults at once. The two formats are our own: that of ajv-formats for
 * date-time allocates, and that for uuid lets `urn:uuid:…` pass, which equals no stored id.
 */
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  // As in platform/http/validators.ts.
  verbose: true,
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
    default:
      return { path, message: wordsOf(error.keyword, params, error.data) ?? error.message ?? 'is not valid' };
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
