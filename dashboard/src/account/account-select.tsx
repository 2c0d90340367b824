import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';

/** After the last key that was typed. Milliseconds. */
const REST_MS = 250;
const SHOWN = 20;

interface AccountSelectProps {
  value: string | null;
  onChange: (id: string | null) => void;
  /** It narrows a list, and may be empty. */
  isFilter?: boolean;
}

/** An account by its name, for operators. */
export function AccountSelect({ value, onChange, isFilter = false }: AccountSelectProps) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), REST_MS);
  const found = useQuery({
    queryKey: ['accounts', 'named', q],
    queryFn: ({ signal }) => posthorn.listAccounts({ limit: SHOWN, ...(q === '' ? {} : { q }) }, { signal }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    queryKey: ['accounts', value],
    queryFn: ({ signal }) => posthorn.getAccount({ id: value ?? '' }, { signal }),
    enabled: value !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = found.data?.data ?? [];
  const known = chosen.data && !shown.some(({ id }) => id === value) ? [chosen.data, ...shown] : shown;
  return (
    <Select
      label="Account"
      placeholder={isFilter ? 'any' : 'Type a part of its name'}
      required={!isFilter}
      clearable={isFilter}
      clearButtonProps={{ 'aria-label': 'Any account' }}
      searchable
      w={{ base: '100%', xs: 320 }}
      data={known.map(({ id, name, type }) => ({ value: id, label: `${name} (${type.toLowerCase()})` }))}
      // The service has searched already.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={(text) => setTyped(text.replace(/ \([a-z]+\)$/, ''))}
      nothingFoundMessage="No account has this in its name"
    />
  );
}
