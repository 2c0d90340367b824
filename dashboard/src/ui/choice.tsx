import { Select } from '@mantine/core';

interface ChoiceProps<T extends string> {
  label: string;
  data: readonly (T | { value: T; label: string })[];
  value: T | undefined;
  onChange: (value: T | undefined) => void;
  /** The values are long. */
  wide?: boolean;
}

/** From so many on one can type to find one. */
const MANY = 8;

/** A word of the API as a person reads it: "ON_HOLD" is "On hold". The names of events, and addresses, stay as they are. */
const wordsOf = (value: string): string =>
  /^[A-Z_]+$/.test(value) ? value.charAt(0) + value.slice(1).replaceAll('_', ' ').toLowerCase() : value;

/** A filter: one of some values, or any. */
export function Choice<T extends string>({ label, data, value, onChange, wide = false }: ChoiceProps<T>) {
  const known = data.map((each) => (typeof each === 'string' ? { value: each, label: wordsOf(each) } : each));
  return (
    <Select
      label={label}
      placeholder="any"
      // Two beside each other on a phone.
      w={{ base: wide ? '100%' : 'calc(50% - 5px)', xs: wide ? 240 : 160 }}
      // Also a value of the address that is not among them, since the list is narrowed by it.
      data={value === undefined || known.some((each) => each.value === value) ? known : [value, ...known]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      clearable
      searchable={data.length > MANY}
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}`, tabIndex: 0 }}
    />
  );
}
