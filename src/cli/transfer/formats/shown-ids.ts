import { Parser } from 'htmlparser2';
import { LEFT_OUT_WITH_CONTENT, SHOWN_ELEMENTS } from '../../../lib/shown-elements.ts';

/** Elements that are open at once; the parser's time grows with the square. */
const MAX_OPEN = 1000;

class TooDeep extends Error {}

/** Reads the HTML of a text; how many elements are open of those that are left out with what is in them. */
class Shown {
  readonly ids: string[] = [];
  #open = 0;
  #leftOut = 0;
  isWhole = true;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (++this.#open > MAX_OPEN) throw new TooDeep();
    if (this.#leftOut > 0 || LEFT_OUT_WITH_CONTENT.includes(name)) this.#leftOut++;
    const isShown = SHOWN_ELEMENTS.includes(name) && (name !== 'input' || attributes['type'] === 'checkbox');
    if (this.#leftOut > 0 || !isShown) return;
    const id = attributes['id'] ?? (name === 'a' ? attributes['name'] : undefined);
    if (id !== undefined) this.ids.push(id);
  }

  close(name: string, isImplied: boolean): void {
    this.#open--;
    if (this.#leftOut === 0) return;
    this.#leftOut--;
    if (isImplied && LEFT_OUT_WITH_CONTENT.includes(name)) this.isWhole = false;
  }
}

/**
 * Ids of the elements in a text that the service shows. Undefined where that cannot be said for sure: something that is left out
 * with its content does not end, which the service takes for text.
 */
export function shownIds(text: string): readonly string[] | undefined {
  if (text.lastIndexOf('<!--') > text.lastIndexOf('-->')) return undefined;
  const shown = new Shown();
  const parser = new Parser({
    onopentag: (name, attributes) => shown.open(name, attributes),
    onclosetag: (name, isImplied) => shown.close(name, isImplied),
  });
  try {
    parser.end(text);
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
  return shown.isWhole ? shown.ids : undefined;
}
