import type TurndownService from 'turndown';

/** The number of the footnote that is marked by an element of WordPress (`<sup data-fn="…">`). */
export type NumberOf = (node: globalThis.Element) => number | undefined;

/** Numbers in the order of the texts. */
export function footnoteNumbers(texts: ReadonlyMap<string, string>): NumberOf {
  const numbers = new Map([...texts.keys()].map((id, at) => [id, at + 1]));
  return (node) => numbers.get(node.getAttribute('data-fn') ?? '');
}

/** Marks of footnotes. */
export function addFootnotes(service: TurndownService, numberOf: NumberOf): void {
  service.addRule('footnote', {
    filter: (node) => node.nodeName === 'SUP' && numberOf(node) !== undefined,
    replacement: (_text, node) => `[^${numberOf(node)}]`,
  });
}

/**
 * Leads the marks in an element that stays HTML to the ids that the service gives their texts. It shows only those that
 * a mark of Markdown leads to, too: those are returned, to stand behind.
 */
export function leadMarks(element: globalThis.Element, numberOf: NumberOf): string {
  const marks: string[] = [];
  for (const mark of Array.from(element.querySelectorAll('sup[data-fn]'))) {
    const number = numberOf(mark);
    if (number === undefined) continue;
    mark.innerHTML = `<a href="#fn${number}">${number}</a>`;
    for (const { name } of Array.from(mark.attributes)) mark.removeAttribute(name);
    marks.push(`[^${number}]`);
  }
  return [...new Set(marks)].join(' ');
}

/** The text of the footnote at a place in that order; its further lines are indented to be a part of it. */
export const footnoteText = (at: number, markdown: string): string =>
  `[^${at + 1}]: ${markdown.replaceAll(/\n(?=.)/g, '\n    ')}`;
