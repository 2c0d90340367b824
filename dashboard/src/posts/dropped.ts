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

/** Whether a drop brings files that are no texts, whatever describes them beside. Those that are, the editor reads itself. */
export const dropsOtherFiles = (data: Brought | null): boolean =>
  data !== null && data.files.length > 0 && !Array.from(data.files).every(isText);
