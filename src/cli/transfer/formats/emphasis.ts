import type TurndownService from 'turndown';

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
/** In which what stands beside the element is beside its content as well. */
const THROUGH = new Set([...EMPHASIS, 'SPAN', 'FONT', 'SMALL']);

/** The text that stands beside an element in its line; blank where the line ends. */
function beside(node: Node, way: Way): string {
  const sibling = node[way];
  if (sibling === null) {
    const { parentNode } = node;
    return parentNode && THROUGH.has(parentNode.nodeName) ? beside(parentNode, way) : ' ';
  }
  if (PUNCTUATED.has(sibling.nodeName) || EMPHASIS.has(sibling.nodeName)) return '.';
  if (sibling.nodeName !== '#text' && !THROUGH.has(sibling.nodeName)) return ' ';
  return sibling.textContent || beside(sibling, way);
}

/** Marks of one kind that follow each other would be one. */
const followsAlike = (mark: string, { previousSibling }: Node): boolean =>
  MARKS.some(([names, other]) => other[0] === mark[0] && names.includes(previousSibling?.nodeName ?? ''));

/** Whether CommonMark reads marks here: between a letter and punctuation they are text. */
function takesMarks(mark: string, text: string, node: Node): boolean {
  const inner = text.replaceAll(/^\*+|\*+$/g, '');
  const written = node.textContent ?? '';
  const opens =
    /^\s/.test(written) || !/^[\p{P}\p{S}]/u.test(inner) || /[\s\p{P}\p{S}]$/u.test(beside(node, 'previousSibling'));
  const closes =
    /\s$/.test(written) || !/[\p{P}\p{S}]$/u.test(inner) || /^[\s\p{P}\p{S}]/u.test(beside(node, 'nextSibling'));
  return opens && closes && !followsAlike(mark, node);
}

/** Marks reach over no blank line, and not to the beginning of a line or from the end of one. */
const emphasized = (content: string, around: (text: string) => string): string =>
  content
    .split(/(\s*\n\s*\n\s*|^\s+|\s+$)/)
    .map((part) => (part.trim() === '' ? part : around(part)))
    .join('');

/** Strong, emphasized and struck text by marks, and as HTML where they would not be read as such (`<b>“a”</b>b`). */
export function addEmphasis(service: TurndownService): void {
  for (const [names, mark, element] of MARKS) {
    service.addRule(element, {
      filter: ({ nodeName }) => names.includes(nodeName),
      replacement: (content, node) =>
        emphasized(content, (text) =>
          takesMarks(mark, text, node) ? `${mark}${text}${mark}` : `<${element}>${text}</${element}>`,
        ),
    });
  }
}
