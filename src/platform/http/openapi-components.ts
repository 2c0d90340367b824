import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;

/** What is named once and pointed to from everywhere else. */
export type Components = Record<'schemas' | 'parameters' | 'headers' | 'responses', Json>;

export const noComponents = (): Components => ({ schemas: {}, parameters: {}, headers: {}, responses: {} });

/** Puts a value under a name and gives the reference to it. Throws where the name stands for something else. */
export function share(components: Components, kind: keyof Components, name: string, value: object): { $ref: string } {
  const known = components[kind][name];
  if (known !== undefined && !isDeepStrictEqual(known, value)) {
    throw new Error(`OpenAPI: two different ${kind} are named ${name}`);
  }
  components[kind][name] = value;
  return { $ref: `#/components/${kind}/${name}` };
}

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['default', 'const', 'enum', 'example', 'examples']);

/**
 * A schema in which every part with a `title` is a reference to the component of that name. So a shape that is used in
 * many operations is told once, and has a name in what is generated from the document.
 */
export function shareTitled(components: Components, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((s) => shareTitled(components, s));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, DATA.has(key) ? value : shareTitled(components, value)]),
  );
  return typeof copy['title'] === 'string' ? share(components, 'schemas', copy['title'], copy) : copy;
}
