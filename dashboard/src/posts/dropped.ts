/** What a clipboard or a drop holds, as far as it matters here. */
export interface Brought {
  files: ArrayLike<{ name: string; type: string }>;
  getData: (type: string) => string;
}

/** What is a text of a post as it is; of rich text, say, it would be the markup. */
const TEXT_TYPES = ['text/plain', 'text/markdown', 'text/x-markdown'];
/** Systems know few types of files: a Markdown file often has none. */
const TEXT_NAME = /\.(?:md|markdown|txt|text)$/i;

const isText = ({ name, type }: { name: string; type: string }): boolean =>
  TEXT_TYPES.includes(type) || (type === '' && TEXT_NAME.test(name));

/** Whether a paste is of files and no text: word processors put a picture beside what was copied. */
export const pastesFiles = (data: Brought | null): boolean =>
  data !== null && data.files.length > 0 && data.getData('text/plain') === '' && data.getData('text/html') === '';

/** Whether a drop brings files that are no texts, whatever describes them beside. */
export const dropsOtherFiles = (data: Brought | null): boolean =>
  data !== null && data.files.length > 0 && !Array.from(data.files).every(isText);

/** Marks at the beginning of a text that say how it is written. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
};

/** The text of a file; null where it is in an encoding that is not known for sure: each letter of it that is not English might become another. */
export function textOf(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
    // UTF-16 without its mark, or no text at all; nothing that holds it can be saved.
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
