import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Search } from './icons.ts';

const WAIT_MS = 250;

interface SearchBoxProps {
  label: string;
  value: string | undefined;
  /** Given the text when typing rests; undefined for none. */
  onSearch: (q: string | undefined) => void;
}

/** A search field whose text stands in the address: it follows the address, and the address follows it. */
export function SearchBox({ label, value = '', onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const timer = useRef<number>(undefined);
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const type = (next: string): void => {
    setText(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      told.current = next.trim();
      onSearch(told.current === '' ? undefined : told.current);
    }, WAIT_MS);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      leftSection={<Search size={16} aria-hidden />}
      onChange={(event) => type(event.currentTarget.value)}
      maxLength={200}
      w={{ base: '100%', xs: 260 }}
    />
  );
}
