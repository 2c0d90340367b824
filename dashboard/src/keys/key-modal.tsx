import type { IssuedApiKey } from '@posthorn/client';
import type { ReactNode } from 'react';
import { IssuedKey } from './issued-key.tsx';
import type { Question } from '../ui/confirm.tsx';
import { FormModal } from '../ui/form-modal.tsx';

interface KeyModalProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** It is on its way. */
  isBusy: boolean;
  /** What was made; undefined as long as nothing was. */
  issued: IssuedApiKey | undefined;
  /** What is to be known beside it. */
  note?: string | undefined;
  /** The form that asks for it. */
  children: ReactNode;
}

const LOST: Question = {
  title: 'Leave without the key?',
  text: 'It is shown here only, and only now. It stays valid: revoke it if nobody has stored it.',
  action: 'Leave without it',
};

/**
 * A dialog whose outcome is shown once. While that is made and shown, nothing but its own button closes it, and Back asks:
 * what is lost here is lost for ever.
 */
export function KeyModal({ isOpen, onClose, title, isBusy, issued, note, children }: KeyModalProps) {
  const mayLeave = !isBusy && issued === undefined;
  return (
    <FormModal
      opened={isOpen}
      onClose={onClose}
      title={issued ? 'The new key' : title}
      size="lg"
      closeOnEscape={mayLeave}
      withCloseButton={mayLeave}
      loss={mayLeave ? undefined : LOST}
    >
      {issued ? <IssuedKey issued={issued} note={note} onClose={onClose} /> : children}
    </FormModal>
  );
}
