import { InvalidArgumentError } from 'commander';

/** A value at a place in an object. */
export interface SetField {
  path: readonly string[];
  value: unknown;
}

/** Names that would reach what every object has. */
const FORBIDDEN: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** What is JSON is taken as such; anything else is text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `tradeAmount=12.5`, `data.items.0.quantity=2`; collected over all that are given. */
export function readSetting(text: string, before: SetField[] = []): SetField[] {
  const at = text.indexOf('=');
  const path = text
    .slice(0, at)
    .replace(/^data\./, '')
    .split('.');
  if (at < 1 || path.some((name) => name === '' || FORBIDDEN.includes(name)))
    throw new InvalidArgumentError('It is a place and a value, like tradeAmount=12.5.');
  return [...before, { path, value: valueOf(text.slice(at + 1)) }];
}

function withField(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(target) && /^\d{1,3}$/.test(name)) {
    const copy: unknown[] = [...target];
    copy[Number(name)] = withField(copy[Number(name)], rest, value);
    return copy;
  }
  const object = typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {};
  return { ...object, [name]: withField(object[name], rest, value) };
}

/** A copy with other values in these places. */
export const withFields = <T extends object>(target: T, fields: readonly SetField[]): T =>
  fields.reduce((copy, { path, value }) => withField(copy, path, value) as T, target);
