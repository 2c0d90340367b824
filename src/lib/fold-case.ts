/**
 * The form in which categories and tags are compared: two texts that differ in case or in Unicode composition only have
 * the same key. Done here and not by the database, whose `lower()` depends on its locale.
 */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
