import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DialogForm } from './dialog-form.tsx';
import { FormModal } from './form-modal.tsx';

interface ReasonFormProps {
  /** The words of the button that does it. */
  action: string;
  isBusy: boolean;
  onClose: () => void;
  onReason: (reason: string) => void;
  /** What will be. */
  children?: ReactNode;
  /** Who sees the reason. */
  description: string;
  /** It can be done without one, and undone. Default false. */
  isOptional?: boolean;
}

interface ReasonModalProps extends ReasonFormProps {
  isOpen: boolean;
  title: string;
}

/** Asks why, before something is ended or decided; the reason is kept. */
export function ReasonModal({ isOpen, title, ...form }: ReasonModalProps) {
  return (
    <FormModal opened={isOpen} onClose={form.onClose} title={title}>
      <ReasonForm {...form} />
    </FormModal>
  );
}

function ReasonForm({ action, isBusy, onClose, onReason, children, description, isOptional = false }: ReasonFormProps) {
  const [reason, setReason] = useState('');
  return (
    <DialogForm
      action={action}
      destructive={!isOptional}
      isBusy={isBusy}
      isDisabled={!isOptional && reason.trim() === ''}
      onSubmit={() => onReason(reason.trim())}
      onCancel={onClose}
    >
      {children}
      <TextInput
        label="Reason"
        description={description}
        required={!isOptional}
        maxLength={500}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
