import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface SteadyButtonProps extends ButtonProps {
  /** It can do nothing at present. */
  isOff: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A button that keeps the focus while it can do nothing: a disabled one, or one that is gone, loses it to the page. */
export function SteadyButton({ isOff, onClick, ...button }: SteadyButtonProps) {
  return (
    <Button
      {...button}
      aria-disabled={isOff || undefined}
      data-disabled={isOff || undefined}
      onClick={() => {
        if (!isOff) onClick();
      }}
    />
  );
}
