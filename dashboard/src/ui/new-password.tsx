import { PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { LEAST, shortness } from '../lib/password-length.ts';

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

/** The field of a new password: it tells of one that is too short as soon as it is left, and takes what the service takes. */
export function NewPassword({ value, error, onChange, ...rest }: NewPasswordProps) {
  const [isLeft, setIsLeft] = useState(false);
  const fault = (isLeft ? shortness(value) : undefined) ?? error;
  return (
    <PasswordInput
      {...rest}
      required
      minLength={LEAST}
      maxLength={200}
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
