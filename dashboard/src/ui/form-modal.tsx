import { Modal, type ModalProps } from '@mantine/core';
import { useRef, useState } from 'react';
import { confirm, type Question } from './confirm.tsx';
import { useAskBeforeLeaving } from './leaving.ts';
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
  const [isAsking, setAsking] = useState(false);
  const { isTyped, watch } = useTypedFields();
  // Not by the state, which is of the last rendering: Back right after an answer would be taken for one more while it is asked.
  const asked = useRef<Promise<boolean>>(undefined);
  const ask = async (question: Question): Promise<boolean> => {
    setAsking(true);
    try {
      return await confirm(question);
    } finally {
      asked.current = undefined;
      // Not before the key that answered was handled: the dialog below would take it, too.
      window.setTimeout(() => {
        if (asked.current === undefined) setAsking(false);
      });
    }
  };
  const mayForget = (question: Question): Promise<boolean> => (asked.current ??= ask(question));
  useAskBeforeLeaving({
    holds: () => opened && (loss !== undefined || isTyped()),
    ask: () => mayForget(loss ?? FORGET),
    links: false,
  });
  const close = async (): Promise<void> => {
    if (!isTyped() || (await mayForget(FORGET))) onClose();
  };
  return (
    <Modal {...modal} opened={opened} onClose={() => void close()} closeOnEscape={closeOnEscape && !isAsking}>
      <div {...watch}>{children}</div>
    </Modal>
  );
}
