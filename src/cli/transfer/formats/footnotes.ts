import type TurndownService from 'turndown';

/** The number of the footnote that is marked by an element of WordPress (`<sup data-fn="…">`). */
export type NumberOf = (node: globalThis.Element) => number | undefined;

/** Texts of footnotes by the ids that marks have for them, numbered in the order in which marks are read: so the service counts them. */
export class Footnotes {
  readonly #texts: ReadonlyMap<string, string>;
  /** Elements that are left out with what is in them, as a selector. */
  readonly #leftOut: string;
  readonly #numbers = new Map<string, number>();

  constructor(texts: ReadonlyMap<string, string>, leftOut: string) {
    this.#texts = texts;
    this.#leftOut = leftOut;
  }

  readonly numberOf: NumberOf = (node) => {
    const id = node.getAttribute('data-fn') ?? '';
    if (this.#texts.has(id) && !node.closest(this.#leftOut)) this.#count(id);
    return this.#numbers.get(id);
  };

  #count(id: string): void {
    if (!this.#numbers.has(id)) this.#numbers.set(id, this.#numbers.size + 1);
  }

  /** All texts in their order as Markdown, those that nothing marks behind the others. */
  written(convert: (html: string) => string): string[] {
    for (const id of this.#texts.keys()) this.#count(id);
    return Array.from(this.#numbers, ([id, number]) => footnoteText(number, convert(this.#texts.get(id) ?? '')));
  }
}

/** Marks of footnotes. */
export function addFootnotes(service: TurndownService, numberOf: NumberOf): void {
  service.addRule('footnote', {
    filter: (node) => node.nodeName === 'SUP' && numberOf(node) !== undefined,
    replacement: (_text, node) => `[^${numberOf(node)}]`,
  });
}

const MARK = 'sup[data-fn]';

/**
 * Leads the marks in an element that stays HTML to the ids that the service gives their texts. It shows only those that
 * a mark of Markdown leads to, too: those are returned, to stand behind.
 */
export function leadMarks(element: globalThis.Element, numberOf: NumberOf): string {
  const marks: string[] = [];
  for (const mark of Array.from(element.querySelectorAll(MARK))) {
    const number = numberOf(mark);
    if (number === undefined) continue;
    mark.innerHTML = `<a href="#fn${number}">${number}</a>`;
    for (const { name } of Array.from(mark.attributes)) mark.removeAttribute(name);
    marks.push(`[^${number}]`);
  }
  return [...new Set(marks)].join(' ');
}

/** An element that holds nothing but text in Markdown, less its marks, and these, to stand behind. */
export function withoutFootnotes<E extends globalThis.Element>(element: E, numberOf: NumberOf): [E, marks: string] {
  if (element.querySelector(MARK) === null) return [element, ''];
  // What is around it may stay HTML, and be written with it.
  const copy = element.cloneNode(true) as E;
  const copies = Array.from(copy.querySelectorAll(MARK));
  const marks: string[] = [];
  // Only of the original can it be told whether it is within what is left out.
  for (const [at, mark] of Array.from(element.querySelectorAll(MARK)).entries()) {
    const number = numberOf(mark);
    if (number === undefined) continue;
    marks.push(`[^${number}]`);
    copies[at]?.parentNode?.removeChild(copies[at]);
  }
  return [copy, marks.join('')];
}

/** The text of the footnote of a number; its further lines are indented to be a part of it. */
const footnoteText = (number: number, markdown: string): string =>
  `[^${number}]: ${markdown.replaceAll(/\n(?=.)/g, '\n    ')}`;
