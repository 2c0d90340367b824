import { uuidv7 } from '../../src/lib/ids.ts';
import type { Schema } from './declared.ts';

/** A value at or just beyond a limit. */
export interface Edge {
  what: string;
  value: unknown;
  /** Whether the schema takes it. */
  fits: boolean;
}

const edge = (what: string, value: unknown, fits: boolean): Edge => ({ what, value, fits });

/** Characters of one to four bytes, and those that are easily lost. */
const CHARACTERS: Readonly<Record<string, string>> = {
  'four bytes': '𝒯',
  emoji: '🎉',
  Hebrew: 'ש',
  'three bytes': '語',
  'a combining mark': '\u0301',
  'right-to-left override': '\u202e',
  quotes: '"',
};
/** A longer text of them would only be slow: characters are counted alike at every length. */
const MOST_CHARACTERS = 2000;
const WRONG_FOR_TEXT: readonly unknown[] = [5, true, ['x'], { x: 'x' }];

const isOneOf = (schema: Schema): boolean => schema.enum !== undefined || schema.const !== undefined;
const valuesOf = ({ enum: values, const: value }: Schema): unknown[] => values ?? [value];

function textEdges({ minLength = 0, maxLength, pattern, format }: Schema): Edge[] {
  const wrong = WRONG_FOR_TEXT.map((value) => edge(JSON.stringify(value), value, false));
  const empty = edge('nothing', '', minLength === 0 && format === undefined);
  const nul = edge('U+0000', 'a\0b', false);
  if (format !== undefined) {
    const long =
      maxLength === undefined ? [] : [edge(`more than ${maxLength}`, `a@b.c${'x'.repeat(maxLength)}`, false)];
    return [...wrong, empty, nul, ...long, edge(`no ${format}`, 'nonsense', false)];
  }
  const test = new RegExp(pattern ?? '', 'u');
  // As long as it has to be: it is not for that that it is refused.
  const surrogates = pattern?.includes('\\ud800')
    ? [edge('half a pair', 'a\ud83cb'.padEnd(minLength, 'c'), false)]
    : [];
  const spaces = pattern === undefined ? [] : [edge('white space', ' \t '.padEnd(minLength), test.test(' \t '))];
  const length = Math.min(maxLength ?? minLength, MOST_CHARACTERS);
  const letter = test.test('a'.repeat(Math.max(1, minLength))) ? 'a' : 'A';
  return [
    ...wrong,
    ...(pattern === undefined ? [empty] : [edge('nothing', '', minLength === 0 && test.test(''))]),
    nul,
    ...surrogates,
    ...spaces,
    ...(minLength > 1 ? [edge(`${minLength - 1} characters`, letter.repeat(minLength - 1), false)] : []),
    edge(`${Math.max(1, minLength)} characters`, letter.repeat(Math.max(1, minLength)), true),
    ...(maxLength === undefined
      ? []
      : [
          edge(`${maxLength} characters`, letter.repeat(maxLength), true),
          edge(`${maxLength + 1} characters`, letter.repeat(maxLength + 1), false),
          edge(
            'too many of four bytes',
            '🎉'.repeat(Math.min(maxLength, 500_000) + 1),
            maxLength > 500_000 && test.test('🎉'),
          ),
        ]),
    ...Object.entries(CHARACTERS).map(([what, c]) => edge(what, c.repeat(length), test.test(c))),
  ];
}

function numberEdges({ minimum, maximum }: Schema): Edge[] {
  return [
    ...(minimum === undefined ? [] : [edge('the least', minimum, true), edge('less', minimum - 1, false)]),
    ...(maximum === undefined ? [] : [edge('the most', maximum, true), edge('more', maximum + 1, false)]),
    edge('a fraction', (minimum ?? 0) + 1.5, false),
    edge('words', 'many', false),
    edge('a list', [1], false),
    edge('a truth', true, false),
  ];
}

/** So many different items that fit, or null where they cannot be made up. */
function items(schema: Schema | undefined, count: number): unknown[] | null {
  if (schema === undefined || schema.$ref !== undefined || schema.type !== 'string' || isOneOf(schema)) return null;
  return Array.from({ length: count }, (_, i) => (schema.format === 'uuid' ? uuidv7(i) : `item-${i}`));
}

function listEdges({ minItems = 0, maxItems, items: item }: Schema): Edge[] {
  const most = maxItems === undefined ? null : items(item, maxItems);
  return [
    edge('an object', { 0: 'x' }, false),
    edge('a number', 5, false),
    edge('no items', [], minItems === 0),
    edge('an item of a wrong type', [5.5], false),
    ...(most === null ? [] : [edge(`${maxItems} items`, most, true)]),
    ...(maxItems === undefined
      ? []
      : [
          edge(
            `${maxItems + 1} items`,
            items(item, maxItems + 1) ?? Array.from({ length: maxItems + 1 }, (_, i) => i),
            false,
          ),
        ]),
  ];
}

/** Values at the limits of a schema and just beyond them, made from the schema itself. */
export function edgesOf(schema: Schema): Edge[] {
  if (schema.anyOf?.some((one) => one.type === 'null')) {
    const rest = schema.anyOf.filter((one) => one.type !== 'null');
    return [edge('null', null, true), ...rest.flatMap(edgesOf).filter(({ value }) => value !== null)];
  }
  const none = edge('null', null, false);
  if (schema.anyOf?.every(isOneOf) || isOneOf(schema)) {
    const values = schema.anyOf ? schema.anyOf.flatMap(valuesOf) : valuesOf(schema);
    const others = ['NO_SUCH', '', 5, ['x'], String(values[0]).toLowerCase()].filter((v) => !values.includes(v));
    return [
      none,
      ...values.map((value) => edge(String(value), value, true)),
      ...others.map((v) => edge(JSON.stringify(v), v, false)),
    ];
  }
  const { type } = schema;
  if (type === 'integer') return [none, ...numberEdges(schema)];
  if (type === 'string') return [none, ...textEdges(schema)];
  if (type === 'array') return [none, ...listEdges(schema)];
  if (type === 'boolean') {
    return [
      none,
      edge('true', true, true),
      edge('false', false, true),
      ...['true', 1, 0, []].map((v) => edge(JSON.stringify(v), v, false)),
    ];
  }
  return [none, edge('a text', 'x', false), edge('a list', ['x'], false)];
}

/** Those of a query parameter: it is text, of which `5` and `true` may be what is wanted. */
export function queryEdgesOf(schema: Schema): Edge[] {
  const made = edgesOf(schema.type === 'array' && schema.items ? schema.items : schema);
  const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed();
  const plain = made.filter(({ value }) => isText(value));
  if (schema.type === 'boolean' || isOneOf(schema)) {
    const wrong = ['1', 'TRUE', 'yes', ''].map((v) => edge(JSON.stringify(v), v, false));
    const right = schema.enum ?? ['true', 'false'];
    return [...right.map((v) => edge(String(v), String(v), true)), ...wrong];
  }
  if (schema.type === 'integer') {
    const numbers = made.filter(({ value }) => typeof value === 'number');
    return [...plain, ...numbers].map(({ what, value, fits }) => edge(what, String(value), fits));
  }
  const many = schema.maxItems === undefined ? null : items(schema.items, schema.maxItems + 1);
  return many === null ? plain : [...plain, edge('as many', many.slice(1), true), edge('one too many', many, false)];
}
