/** Texts come from elsewhere: control characters would reach the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');
