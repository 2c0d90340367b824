import { PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { LEAST, wrongLength } from '../lib/password-length.ts';

interface NewPasswordProps {
  label: string;
  description?: string;
  value: string;
  /** What is wrong with it beside its length. */
  error?: ReactNode;
  /** The dialog's first field. */
  'data-autofocus'?: true;
  onChange: (value: string) => void;
}

/**
 * The field of a new password: it tells of one that is too short or too long as soon as it is left, and takes what the service takes. A
 * `maxLength` would cut what is pasted off without a word, and counts UTF-16 units: nobody would know the password.
 */
export function NewPassword({ value, error, onChange, ...rest }: NewPasswordProps) {
  const [isLeft, setIsLeft] = useState(false);
  const fault = (isLeft ? wrongLength(value) : undefined) ?? error;
  return (
    <PasswordInput
      {...rest}
      required
      minLength={LEAST}
      autoComplete="new-password"
      value={value}
      error={fault}
      errorProps={{ role: 'alert' }}
      aria-invalid={Boolean(fault)}
      onBlur={() => setIsLeft(true)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
