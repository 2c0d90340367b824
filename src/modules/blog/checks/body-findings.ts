import { type Problem, warning } from './problems.ts';

/** Findings of one body that are told; a body of a megabyte can have a hundred thousand. */
const MAX_FINDINGS = 100;

/** An address that leads nowhere; browsers read over white space and control characters in the scheme. */
const isNowhere = (href: string): boolean => {
  // oxlint-disable-next-line no-control-regex -- this is what browsers leave out
  const address = href.replaceAll(/[\u0000-\u0020]/g, '').toLowerCase();
  return address === '' || address === '#' || address.startsWith('javascript:') || address.startsWith('vbscript:');
};

/** Elements that show something, of which readers see nothing (rendering/sanitize.ts), or of a player what stands in its place. */
const LEFT_OUT: ReadonlySet<string> = new Set(['iframe', 'object', 'embed', 'video', 'audio', 'svg', 'math']);

/** Of an address of another kind than these, an image has none when it is shown; those without a scheme are of the site. */
const isShown = (src: string): boolean => !/^[a-z][a-z\d+.-]*:/i.test(src) || /^https?:/i.test(src);

/** Gathers what is wrong with images, links and headings as a reader of Markdown or HTML comes upon them. */
export class BodyFindings {
  readonly problems: Problem[] = [];
  /** The post's title is the heading of level 1. */
  #level = 1;
  #link: { line: number; empty: boolean } | null = null;

  heading(level: number, line: number): void {
    if (level > this.#level + 1) {
      const text = `A heading of level ${level} follows one of level ${this.#level}; screen readers lose the order.`;
      this.#add('HEADING_LEVEL_SKIPPED', line, text);
    }
    this.#level = level;
  }

  image(alt: string | null, src: string, line: number): void {
    this.content();
    if (!isShown(src.trim()))
      this.#add('LEFT_OUT', line, 'An image has an address that is left out: only http and https are shown.');
    if (alt === null) this.#add('IMAGE_WITHOUT_ALT', line, 'An image has no alternative text.');
  }

  openLink(href: string, line: number): void {
    this.#link = { line, empty: true };
    if (isNowhere(href)) this.#add('LINK_TO_NOWHERE', line, 'A link leads nowhere.');
  }

  element(name: string, line: number): void {
    if (LEFT_OUT.has(name)) this.#add('LEFT_OUT', line, `<${name}> is left out; a link to what it shows is not.`);
  }

  /** Something that a reader sees. */
  content(): void {
    if (this.#link) this.#link.empty = false;
  }

  closeLink(): void {
    if (this.#link?.empty) this.#add('LINK_WITHOUT_TEXT', this.#link.line, 'A link has no text.');
    this.#link = null;
  }

  #add(code: Problem['code'], line: number, message: string): void {
    if (this.problems.length < MAX_FINDINGS) this.problems.push(warning(code, 'body', message, line));
  }
}
