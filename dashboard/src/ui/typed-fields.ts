import { type SyntheticEvent, useState } from 'react';

type Field = HTMLInputElement | HTMLTextAreaElement;

const isField = (target: EventTarget): target is Field =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'radio');

const isTicked = (field: Field): field is HTMLInputElement => field.type === 'checkbox';

const valueOf = (field: Field): string => (isTicked(field) ? String(field.checked) : field.value);

/** What was there before the change that is being told. Safari gives no focus to a box that is clicked. */
const valueBefore = (field: Field): string => (isTicked(field) ? String(!field.checked) : field.defaultValue);

/**
 * Tells whether fields hold something else than before somebody came to them: not what was typed and taken back, nor in fields that
 * are gone. A choice of one click among a few (radio buttons) is nothing to lose.
 */
export function useTypedFields() {
  const [before] = useState(() => new Map<Field, string>());
  const note =
    (value: (field: Field) => string) =>
    ({ target }: SyntheticEvent): void => {
      if (!isField(target) || before.has(target)) return;
      for (const field of before.keys()) if (!field.isConnected) before.delete(field);
      before.set(target, value(target));
    };
  return {
    isTyped: (): boolean => [...before].some(([field, value]) => field.isConnected && valueOf(field) !== value),
    watch: { onFocusCapture: note(valueOf), onInputCapture: note(valueBefore) },
  };
}
