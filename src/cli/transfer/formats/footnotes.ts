import type TurndownService from 'turndown';

/** Marks of footnotes of WordPress (`<sup data-fn="…">`), numbered in the order of their texts. */
export function addFootnotes(service: TurndownService, texts: ReadonlyMap<string, string>): void {
  const numbers = new Map([...texts.keys()].map((id, at) => [id, at + 1]));
  const numberOf = (node: { getAttribute: (name: string) => string | null }): number | undefined =>
    numbers.get(node.getAttribute('data-fn') ?? '');
  service.addRule('footnote', {
    filter: (node) => node.nodeName === 'SUP' && numberOf(node) !== undefined,
    replacement: (_text, node) => `[^${numberOf(node)}]`,
  });
}

/** The text of the footnote at a place in that order; its further lines are indented to be a part of it. */
export const footnoteText = (at: number, markdown: string): string =>
  `[^${at + 1}]: ${markdown.replaceAll(/\n(?=.)/g, '\n    ')}`;
