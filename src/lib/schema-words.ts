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
  // Of names, see modules/accounts.
  '^(?=[^]*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]*$':
    'must be one line of text that is not blank, without control characters and such as turn its direction',
};

interface Rule {
  isBroken: RegExp;
  words: string;
}

const BLANK: Rule = { isBroken: /^\s*$/u, words: 'must not be blank' };
const NUL: Rule = { isBroken: /\0/u, words: 'must not hold U+0000' };
const HALF: Rule = { isBroken: /[\ud800-\udfff]/u, words: 'must not hold half a surrogate pair' };

/** Patterns that are several rules: a value is told those that it breaks. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '^[^\\u0000\\ud800-\\udfff]*$': [NUL, HALF],
  '^(?!\\s*$)[^\\u0000\\ud800-\\udfff]*$': [BLANK, NUL, HALF],
  // Of new passwords, see modules/accounts.
  '^(?=[^]*\\S)[^\\ud800-\\udfff]*$': [BLANK, HALF],
};

function wordsOfPattern(pattern: string, value: unknown): string | undefined {
  // Said only once then, beside a least length.
  if (value === '') return 'must not be empty';
  const rules = RULES[pattern];
  if (rules === undefined) return PATTERNS[pattern];
  const told = typeof value === 'string' ? rules.filter(({ isBroken }) => isBroken.test(value)) : rules;
  return told.map(({ words }) => words).join(', and ');
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': DATE_TIME_RULE,
  uuid: 'must be a UUID',
  email: 'must be an e-mail address',
  uri: 'must be an absolute address (URI)',
};

/** The rule of a schema that a value broke, as a sentence about the value; undefined where Ajv's own words will do. */
export function wordsOf(
  keyword: string,
  params: Readonly<Record<string, unknown>>,
  value?: unknown,
): string | undefined {
  if (keyword === 'pattern') return wordsOfPattern(String(params['pattern']), value);
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
