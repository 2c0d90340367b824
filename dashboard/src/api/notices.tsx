import { notifications } from '@mantine/notifications';
import { failureText } from './error-text.ts';
import { FailureBody } from './failure-body.tsx';

const NOTICE = { withBorder: true, closeButtonProps: { 'aria-label': 'Close this message' } };

/** Errors stay until they are closed: whoever looks away must not miss one. */
export function notifyError(error: unknown): void {
  const text = failureText(error);
  notifications.show({
    ...NOTICE,
    color: 'red',
    title: text.title,
    autoClose: false,
    role: 'alert',
    message: <FailureBody text={text} />,
  });
}

/** Why something was not begun: what is to be mended first. */
export const notifyFault = (title: string, message: string): void =>
  void notifications.show({ ...NOTICE, color: 'red', title, message, role: 'alert' });

/** Something was done. */
export const notifyDone = (message: string): void => void notifications.show({ ...NOTICE, color: 'green', message });
