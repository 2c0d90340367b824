import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

const LISTS = ['UL', 'OL'];
const isList = ({ nodeName }: Node): boolean => LISTS.includes(nodeName);

/** The element before, where there is only white space between. */
function before(element: Element): Node | null {
  let node = element.previousSibling;
  while (node !== null && (node.nodeName === '#comment' || (node.nodeName === '#text' && !node.nodeValue?.trim())))
    node = node.previousSibling;
  return node;
}

/** A list that stands between the items of another, as old editors write them, belongs to the item before. */
const isBetweenItems = (node: Element): boolean =>
  node.parentNode !== null && isList(node.parentNode) && before(node)?.nodeName === 'LI';

/** Two of a kind in a row would be one, and its numbers go on. */
const followsAlike = (node: Element): boolean => before(node)?.nodeName === node.nodeName;

/** Lists that the library would join with others. */
export function addLists(service: TurndownService): void {
  service.addRule('list between items', {
    filter: (node) => isList(node) && isBetweenItems(node),
    replacement: (content) => `\n${content.replaceAll(/^(?=.)/gm, '    ')}\n`,
  });
  service.addRule('list behind another', {
    filter: (node) => isList(node) && followsAlike(node),
    replacement: (content) => `\n\n<!-- -->\n\n${content}\n\n`,
  });
}
