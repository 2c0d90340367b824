import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

const LISTS = ['UL', 'OL'];
const isList = ({ nodeName }: Node): boolean => LISTS.includes(nodeName);

/** The element before, where there is only white space between. */
function before(element: Node): Node | null {
  let node = element.previousSibling;
  while (node !== null && (node.nodeName === '#comment' || (node.nodeName === '#text' && !node.nodeValue?.trim())))
    node = node.previousSibling;
  return node;
}

/** What may stand between an item and its box. */
const AROUND_TASKS = ['P', 'LABEL', 'SPAN', 'DIV'];

/** A list that stands between the items of another, as old editors write them, belongs to the item before. */
const isBetweenItems = (node: Element): boolean =>
  node.parentNode !== null && isList(node.parentNode) && before(node)?.nodeName === 'LI';

/** Two of a kind in a row would be one, and its numbers go on. */
const followsAlike = (node: Element): boolean => before(node)?.nodeName === node.nodeName;

/** A box that stands first in its item; whether a reader may tick it is lost. */
function isTask(node: Element): boolean {
  if (node.nodeName !== 'INPUT' || node.getAttribute('type')?.toLowerCase() !== 'checkbox') return false;
  let inner: Node = node;
  while (before(inner) === null && inner.parentNode !== null) {
    inner = inner.parentNode;
    if (inner.nodeName === 'LI') return Boolean(inner.textContent?.trim());
    if (!AROUND_TASKS.includes(inner.nodeName)) return false;
  }
  return false;
}

/** A list that does not begin with 1 would be a part of the line before, unless an empty one stands between. */
const isCountedOn = (node: Element): boolean =>
  node.nodeName === 'OL' && node.closest('li') !== null && !['1', '', null].includes(node.getAttribute('start'));

/** Tasks, and lists that the library would join with others. */
export function addLists(service: TurndownService): void {
  service.addRule('task', {
    filter: isTask,
    replacement: (_text, node) =>
      `[${node.hasAttribute('checked') ? 'x' : ' '}]${/^\s/.test(node.nextSibling?.nodeValue ?? '') ? '' : ' '}`,
  });
  service.addRule('list that goes on counting', {
    filter: isCountedOn,
    replacement: (content) => `\n\n${content}\n\n`,
  });
  service.addRule('list between items', {
    filter: (node) => isList(node) && isBetweenItems(node),
    replacement: (content) => `\n${content.replaceAll(/^(?=.)/gm, '    ')}\n`,
  });
  service.addRule('list behind another', {
    filter: (node) => isList(node) && followsAlike(node),
    replacement: (content) => `\n\n<!-- -->\n\n${content}\n\n`,
  });
}
