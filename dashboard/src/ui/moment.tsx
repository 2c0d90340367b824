import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { momentOf, ownZone, wallTime } from '../lib/zones.ts';

interface MomentProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/**
 * A filter: a time, in the zone of this browser; as a value it is exact. It acts as soon as it is complete. What is typed
 * stays as it is typed meanwhile: a field that is set from outside begins its part of the time anew with each digit.
 */
export function Moment({ label, value, onChange }: MomentProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <TextInput
      label={label}
      type="datetime-local"
      w={{ base: '100%', xs: 225 }}
      max="9999-12-31T23:59"
      value={typed ?? (value === undefined ? '' : wallTime(new Date(value), ownZone()))}
      onChange={({ currentTarget: { value: text, validity } }) => {
        setTyped(text);
        const at = momentOf(text);
        // Half a time is none yet, and does not take the one away that there is.
        if (at !== undefined || (text === '' && !validity.badInput)) onChange(at);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
