declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  /** `[^1]` and `[^1]: text`; the package brings no types. */
  const footnote: (md: MarkdownIt) => void;
  export default footnote;
}
