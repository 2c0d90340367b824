import hljs from 'highlight.js/lib/common';

/** Longer code is shown without colours. UTF-16 units per block, and of all blocks of a text. */
const BLOCK_MAX = 20_000;
const TEXT_MAX = 200_000;

/** The HTML of code of a language; '' asks for plain, escaped text. */
export type Highlight = (code: string, language: string) => string;

/**
 * Colours code of a language that is named and known. Languages are never guessed:
 * that would try each of them.
 */
export function highlighter(): Highlight {
  let left = TEXT_MAX;
  return (code, language) => {
    if (!hljs.getLanguage(language) || code.length > Math.min(BLOCK_MAX, left)) return '';
    left -= code.length;
    return hljs.highlight(code, { language, ignoreIllegals: true }).value;
  };
}
