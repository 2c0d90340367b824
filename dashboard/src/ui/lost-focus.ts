/** What gets the focus where nothing else has it: see `useKeptFocus` of the shell. */
export const CONTENT_ID = 'content';

/** Whether nothing has the focus, or what gets it then: who knows a better place may put it there. */
export const isFocusLost = (): boolean => {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.id === CONTENT_ID;
};
