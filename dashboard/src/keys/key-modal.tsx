import { Modal } from '@mantine/core';
import type { IssuedApiKey } from '@posthorn/client';
import type { ReactNode } from 'react';
import { IssuedKey } from './issued-key.tsx';

interface KeyModalProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** It is on its way. */
  isBusy: boolean;
  /** What was made; undefined as long as nothing was. */
  issued: IssuedApiKey | undefined;
  /** The form that asks for it. */
  children: ReactNode;
}

/**
 * A dialog whose outcome is shown once. While that is made and shown, nothing but its own button closes it: what is lost
 * here is lost for ever.
 */
export function KeyModal({ isOpen, onClose, title, isBusy, issued, children }: KeyModalProps) {
  const mayLeave = !isBusy && issued === undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={issued ? 'The new key' : title}
      size="lg"
      closeOnEscape={mayLeave}
      withCloseButton={mayLeave}
    >
      {issued ? <IssuedKey issued={issued} onClose={onClose} /> : children}
    </Modal>
  );
}
