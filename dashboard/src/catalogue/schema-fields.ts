/** Of JSON Schema what the schemas of events use. */
interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: string | number | boolean;
  anyOf?: Schema[];
  format?: string;
}

export interface Field {
  /** `items[].listingId`. */
  path: string;
  /** "text", "one of A, B". */
  type: string;
  description: string | undefined;
  isOptional: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  object: 'object',
  array: 'list',
  boolean: 'true or false',
};

function typeOf({ type, enum: values, const: value, anyOf, format, items }: Schema): string {
  if (values) return `one of ${values.map(String).join(', ')}`;
  if (value !== undefined) return String(value);
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (format !== undefined) return format;
  const names = Array.isArray(type) ? type : [type ?? 'anything'];
  return names.map((name) => TYPES[name] ?? name).join(' or ');
}

/** The fields of a schema, those of objects within it as well; a list's by `[]`. */
export function fieldsOf(schema: Schema, at = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${at}${name}`;
    const isOptional = !(schema.required ?? []).includes(name);
    const inner = (field.anyOf ?? [field]).find(({ properties, items }) => properties ?? items?.properties) ?? field;
    const nested = inner.properties
      ? fieldsOf(inner, `${path}.`)
      : inner.items?.properties
        ? fieldsOf(inner.items, `${path}[].`)
        : [];
    return [{ path, type: typeOf(field), description: field.description, isOptional }, ...nested];
  });
}
