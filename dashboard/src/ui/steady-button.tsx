import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentProps, forwardRef, type MouseEvent, type ReactNode } from 'react';

interface SteadyButtonProps extends Omit<ButtonProps, 'disabled' | 'loading'> {
  /** It can do nothing at present. */
  isOff?: boolean;
  /** What it does is under way: it turns, and does nothing else meanwhile. */
  isBusy?: boolean;
  /** Submits its form, unless it is off or busy; so does Enter in a field then. */
  type?: 'submit';
  onClick?: () => void;
  children: ReactNode;
}

/** Mantine disables a button that turns. */
const NeverDisabled = forwardRef<HTMLButtonElement, ComponentProps<'button'>>(function NeverDisabled(
  { type = 'button', ...button },
  ref,
) {
  // oxlint-disable-next-line react/button-has-type -- it has one, a button unless told otherwise
  return <button {...button} type={type} disabled={false} ref={ref} />;
});

/** A button that keeps the focus while it can do nothing, or does it: a disabled one, or one that is gone, loses it to the page. */
export function SteadyButton({ isOff = false, isBusy, onClick, ...button }: SteadyButtonProps) {
  const isIdle = !isOff && isBusy !== true;
  return (
    <Button
      {...button}
      component={NeverDisabled}
      {...(isBusy !== undefined && { loading: isBusy })}
      aria-disabled={!isIdle || undefined}
      data-disabled={isOff || undefined}
      onClick={(event: MouseEvent) => {
        if (isIdle) onClick?.();
        // As a disabled one keeps its form from being submitted.
        else event.preventDefault();
      }}
    />
  );
}
