import type TurndownService from 'turndown';
import { isMark } from './anchors.ts';

type Element = Parameters<TurndownService.FilterFunction>[0];
type Way = 'previousSibling' | 'nextSibling';

/** Elements, the marks around them, and the element that says the same where marks would stay text. */
const MARKS: readonly [names: readonly string[], mark: string, element: string][] = [
  [['STRONG', 'B'], '**', 'strong'],
  [['EM', 'I'], '*', 'em'],
  [['DEL', 'S', 'STRIKE'], '~~', 'del'],
];
const EMPHASIS = new Set(MARKS.flatMap(([names]) => names));

/** In Markdown these begin and end with punctuation, whatever their text is. */
const PUNCTUATED = new Set(['A', 'CODE', 'IMG', 'KBD', 'MARK', 'SUB', 'SUP', 'U', 'INS', 'ABBR']);
/** Beside these a line ends. */
const LINES = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BR DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TD TH TR UL'.split(
    ' ',
  ),
);
/** In which what stands beside the element is beside its content as well. */
const THROUGH = new Set([...EMPHASIS, 'SPAN', 'FONT', 'SMALL']);

/** The text that stands beside an element in its line; blank where the line ends. */
function beside(element: Node, way: Way): string {
  let node = element;
  for (;;) {
    const sibling = node[way];
    if (sibling === null) {
      if (!node.parentNode || !THROUGH.has(node.parentNode.nodeName)) return ' ';
      node = node.parentNode;
      continue;
    }
    if (PUNCTUATED.has(sibling.nodeName) || isMark(sibling) || EMPHASIS.has(sibling.nodeName)) return '.';
    if (LINES.has(sibling.nodeName)) return ' ';
    if (sibling.nodeName !== '#comment' && sibling.textContent) return sibling.textContent;
    node = sibling;
  }
}

/** What marks can be at the ends of. */
function withoutStars(text: string): string {
  let [from, to] = [0, text.length];
  while (text[from] === '*') from++;
  while (to > from && text[to - 1] === '*') to--;
  return text.slice(from, to);
}

/** Marks of one kind that follow each other would be one. */
const followsAlike = (mark: string, { previousSibling }: Node): boolean =>
  MARKS.some(([names, other]) => other[0] === mark[0] && names.includes(previousSibling?.nodeName ?? ''));

/** Whether CommonMark reads marks here: between a letter and punctuation they are text. */
function takesMarks(mark: string, text: string, node: Node): boolean {
  const inner = withoutStars(text);
  const written = node.textContent ?? '';
  const opens =
    /^\s/.test(written) || !/^[\p{P}\p{S}]/u.test(inner) || /[\s\p{P}\p{S}]$/u.test(beside(node, 'previousSibling'));
  const closes =
    /\s$/.test(written) || !/[\p{P}\p{S}]$/u.test(inner) || /^[\s\p{P}\p{S}]/u.test(beside(node, 'nextSibling'));
  return opens && closes && !followsAlike(mark, node);
}

/** Marks reach over no blank line, and not to the beginning of a line or from the end of one. */
function emphasized(content: string, around: (text: string) => string): string {
  const paragraphs: string[][] = [[]];
  for (const line of content.split('\n')) {
    if (line.trim() === '') paragraphs.push([line], []);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const text = lines.join('\n');
      const inner = text.trim();
      if (inner === '') return text;
      const from = text.length - text.trimStart().length;
      return `${text.slice(0, from)}${around(inner)}${text.slice(from + inner.length)}`;
    })
    .join('\n');
}

/** Whether it stands in an element that says the same, as Ghost writes all of it in captions: its marks would say another thing (`**`). */
const isSaid = (names: readonly string[], { parentElement }: Element): boolean =>
  Boolean(parentElement?.closest(names.join(',').toLowerCase()));

/** Strong, emphasized and struck text by marks, and as HTML where they would not be read as such (`<b>“a”</b>b`). */
export function addEmphasis(service: TurndownService): void {
  for (const [names, mark, element] of MARKS) {
    service.addRule(element, {
      filter: ({ nodeName }) => names.includes(nodeName),
      replacement(content, node) {
        if (isSaid(names, node)) return content;
        return emphasized(content, (text) =>
          takesMarks(mark, text, node) ? `${mark}${text}${mark}` : `<${element}>${text}</${element}>`,
        );
      },
    });
  }
}
