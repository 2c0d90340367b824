import { Modal, type ModalProps } from '@mantine/core';
import type { Question } from './confirm.tsx';
import { useAskBeforeLeaving } from './leaving.ts';
import { useQuestionOver } from './question-over.ts';
import { useTypedFields } from './typed-fields.ts';

const FORGET: Question = {
  title: 'Forget what you typed?',
  text: 'It is not saved.',
  action: 'Forget it',
};

interface FormModalProps extends ModalProps {
  /** What is lost by leaving the page, whatever was typed; absent: what was typed is all there is. */
  loss?: Question | undefined;
}

/**
 * A dialog with a form: Escape, its cross and Back ask before what was typed in it is forgotten, and the browser before its
 * window is closed. "Cancel" in the form says so itself.
 */
export function FormModal({ loss, opened, onClose, closeOnEscape = true, children, ...modal }: FormModalProps) {
  const { isAsking, ask } = useQuestionOver();
  const { isTyped, watch } = useTypedFields();
  useAskBeforeLeaving({
    holds: () => opened && (loss !== undefined || isTyped()),
    ask: () => ask(loss ?? FORGET),
    links: false,
  });
  const close = async (): Promise<void> => {
    if (!isTyped() || (await ask(FORGET))) onClose();
  };
  return (
    <Modal {...modal} opened={opened} onClose={() => void close()} closeOnEscape={closeOnEscape && !isAsking}>
      <div {...watch}>{children}</div>
    </Modal>
  );
}
