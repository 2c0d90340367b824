import sax from 'sax';
import { UnreadableFile } from './fit.ts';
import { utf8 } from './utf8.ts';

/** An element larger than this is not kept. Characters of text and attributes, and one for each element. */
const MAX_ELEMENT = 16_000_000;

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  children: XmlElement[];
}

/** A child of the channel; its content is missing when it was larger than is kept. */
export interface ChannelElement extends XmlElement {
  tooLarge: boolean;
}

/** Where the children that are built lie. */
const PARENT = ['rss', 'channel'];

class ElementBuilder {
  readonly done: ChannelElement[] = [];
  readonly #parser = sax.parser(true, { position: true });
  /** Names of the outer elements, up to the parent of what is built. */
  #depth = 0;
  #root = '';
  readonly #open: XmlElement[] = [];
  #size = 0;

  constructor() {
    const parser = this.#parser;
    Object.assign(parser, {
      onerror: (error: Error) => {
        const place = `line ${(parser.line ?? 0) + 1}, column ${parser.column ?? 0}`;
        throw new UnreadableFile(`not XML, or not all of it: ${error.message.split('\n')[0]?.trim()} (${place})`);
      },
      ondoctype: () => {
        throw new UnreadableFile('it declares a document type (DOCTYPE), as no export does');
      },
      onopentag: (tag: sax.Tag) => this.#start(tag.name, tag.attributes),
      onclosetag: () => this.#end(),
      ontext: (text: string) => this.#text(text),
      oncdata: (text: string) => this.#text(text),
    } satisfies Partial<sax.SAXParser>);
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  /** Throws when the document is not at its end. */
  close(): void {
    this.#parser.close();
    if (this.#root === '') throw new UnreadableFile('it is empty');
  }

  #start(name: string, attributes: Record<string, string>): void {
    this.#depth++;
    if (this.#depth === 1) this.#root = name;
    if (this.#depth <= PARENT.length) {
      if (name !== PARENT[this.#depth - 1]) throw new UnreadableFile('it is XML, but no feed of posts (rss, channel)');
      return;
    }
    if (this.#open.length === 0) this.#size = 0;
    this.#size += 1 + Object.values(attributes).reduce((sum, value) => sum + value.length, 0);
    const element = { name, attributes, text: '', children: [] };
    if (this.#size <= MAX_ELEMENT || this.#open.length === 0) {
      this.#open.at(-1)?.children.push(element);
      this.#open.push(element);
    }
  }

  #end(): void {
    const level = this.#depth - PARENT.length;
    this.#depth--;
    // Elements beyond the limit were never opened here.
    if (level < 1 || level > this.#open.length) return;
    const element = this.#open.pop();
    if (element && this.#open.length === 0) this.done.push({ ...element, tooLarge: this.#size > MAX_ELEMENT });
  }

  #text(text: string): void {
    const level = this.#depth - PARENT.length;
    if (level < 1 || level > this.#open.length) return;
    this.#size += text.length;
    const element = this.#open.at(-1);
    if (element && this.#size <= MAX_ELEMENT) element.text += text;
  }
}

/**
 * The children of `rss/channel`, each whole, one at a time: memory holds those that one chunk of the file ends. No
 * document type is taken, so that no entity unfolds. Throws UnreadableFile for what is no XML in UTF-8 of this form,
 * also when it ends early.
 */
export async function* channelElements(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ChannelElement> {
  const builder = new ElementBuilder();
  for await (const text of utf8(chunks)) {
    builder.write(text);
    yield* builder.done.splice(0);
  }
  builder.close();
  yield* builder.done.splice(0);
}
