import { Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { SteadyButton } from '../ui/steady-button.tsx';

/** After the last key that was typed. Milliseconds. */
const REST_MS = 250;
const SHOWN = 20;

/** Finds a user by name or address, and adds it. */
export function AddMember({ onAdd, isBusy }: { onAdd: (userId: string) => void; isBusy: boolean }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), REST_MS);
  const found = useQuery({
    queryKey: ['users', 'named', q],
    queryFn: ({ signal }) => posthorn.listUsers({ limit: SHOWN, ...(q === '' ? {} : { q }) }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Add a user"
        placeholder="Type a part of the name or e-mail"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Choose nobody' }}
        w={{ base: '100%', xs: 320 }}
        data={(found.data?.data ?? []).map(({ id, name, email }) => ({ value: id, label: email ?? name }))}
        // The service has searched already.
        filter={({ options }) => options}
        value={chosen}
        onChange={setChosen}
        onSearchChange={setTyped}
        nothingFoundMessage="Nobody has this in the name or e-mail"
      />
      <SteadyButton
        isOff={chosen === null}
        isBusy={isBusy}
        onClick={() => {
          if (chosen !== null) onAdd(chosen);
          setChosen(null);
        }}
      >
        Add
      </SteadyButton>
    </Group>
  );
}
