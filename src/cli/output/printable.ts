/**
 * Texts come from elsewhere: control characters would reach the terminal, and those that turn the direction of writing
 * (U+202A to U+202E, U+2066 to U+2069) show the rest of a line as what it is not.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '?');
