const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?[\t ]*$/;

/**
 * Header fields (RFC 9112 §5) that every reader understands alike: a token, a colon, a value of visible ASCII, and no name
 * twice; without the blanks around values, by their names in lower case. Null: there are others. `lines`: without their ends.
 */
export function plainFields(lines: readonly string[]): Record<string, string> | null {
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [, written, value = ''] = FIELD.exec(line) ?? [];
    if (written === undefined) return null;
    const name = written.toLowerCase();
    // `__proto__` would set the prototype instead of a field.
    if (name === '__proto__' || Object.hasOwn(fields, name)) return null;
    fields[name] = value;
  }
  return fields;
}
