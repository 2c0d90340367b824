import { DATE_TIME_RULE } from './date-time.ts';
import { SLUG_PATTERN } from './slug.ts';

/** The patterns of what callers send, in words: a regular expression tells nobody in a hurry what to mend. */
const PATTERNS: Readonly<Record<string, string>> = {
  [SLUG_PATTERN]: 'must be of a-z and 0-9, in parts that are joined by single hyphens',
  '^[Hh][Tt][Tt][Pp][Ss]?://': 'must begin with http:// or https://',
  '^https?://[!-~]+$': 'must be an address in ASCII that begins with http:// or https://',
  '^[A-Z]{3}$': 'must be a currency code of three capital letters, such as EUR',
  '^[!-~]+$': 'must be of visible ASCII characters, without spaces',
  '^[\\x20-\\x7e]*$': 'must be of ASCII characters, without control characters',
  '^[^\\ud800-\\udfff]*$': 'must not hold half a surrogate pair',
  '^[^\\u0000\\ud800-\\udfff]*$': 'must not hold U+0000 or half a surrogate pair',
  '^(?!\\s*$)[^\\u0000\\ud800-\\udfff]*$': 'must not be blank, and not hold U+0000 or half a surrogate pair',
  // Of names, see modules/accounts.
  '^(?=[^]*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]*$':
    'must be one line of text that is not blank, without control characters and such as turn its direction',
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': DATE_TIME_RULE,
  uuid: 'must be a UUID',
  email: 'must be an e-mail address',
  uri: 'must be an absolute address (URI)',
};

/** The rule of a schema that a value broke, as a sentence about the value; undefined where Ajv's own words will do. */
export function wordsOf(keyword: string, params: Readonly<Record<string, unknown>>): string | undefined {
  if (keyword === 'pattern') return PATTERNS[String(params['pattern'])];
  if (keyword === 'format') return FORMATS[String(params['format'])];
  if (keyword === 'minProperties') {
    return params['limit'] === 1
      ? 'must have at least one field'
      : `must have at least ${String(params['limit'])} fields`;
  }
  if (keyword === 'minLength' && params['limit'] === 1) return 'must not be empty';
  if (keyword === 'minItems' && params['limit'] === 1) return 'must not be empty';
  return undefined;
}
