import { Modal, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { isLeftForGood } from '../api/session.ts';
import { confirm, type Question } from './confirm.tsx';

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
  const [isTyped, setTyped] = useState(false);
  const forgets = isTyped ? FORGET : undefined;
  const mayLeave = async (question: Question | undefined): Promise<boolean> => {
    if (!question) return true;
    if (isAsking) return false;
    setAsking(true);
    const isLeft = await confirm(question);
    // Not before the key that answered was handled: the dialog below would take it, too.
    window.setTimeout(() => setAsking(false));
    return isLeft;
  };
  useBlocker({
    disabled: !opened,
    enableBeforeUnload: () => (loss !== undefined || isTyped) && !isLeftForGood(),
    // What the dialog itself leads to is none of it.
    shouldBlockFn: async ({ current, next, action }) =>
      action !== 'PUSH' &&
      action !== 'REPLACE' &&
      current.pathname !== next.pathname &&
      !(await mayLeave(loss ?? forgets)),
  });
  const close = async (): Promise<void> => {
    if (await mayLeave(forgets)) onClose();
  };
  return (
    <Modal {...modal} opened={opened} onClose={() => void close()} closeOnEscape={closeOnEscape && !isAsking}>
      <Typing onTyped={setTyped}>{children}</Typing>
    </Modal>
  );
}

/** Tells whether something was typed in what it holds, as long as that is shown. */
function Typing({ onTyped, children }: { onTyped: (isTyped: boolean) => void; children: ReactNode }) {
  useEffect(() => () => onTyped(false), [onTyped]);
  return <div onInput={() => onTyped(true)}>{children}</div>;
}
