import sax from 'sax';

/** What a file of a sitemap says. */
export interface ReadSitemap {
  root: string;
  locs: string[];
  /** Against sitemap.xsd and siteindex.xsd of sitemaps.org, and against its page on the protocol: one line each. */
  faults: string[];
}

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** Entries of a file, and its bytes. */
const ENTRIES_MAX = 50_000;
const BYTES_MAX = 52_428_800;

/** What an entry may hold (xsd:all), and the form of each: tLoc, tLastmod (W3C Datetime), tChangeFreq, tPriority. */
const FORMS: Readonly<Record<string, (text: string) => boolean>> = {
  loc: (text) =>
    text.length >= 12 && text.length <= 2048 && URL.canParse(text) && /^https?:\/\/[\x21-\x7e]+$/.test(text),
  lastmod: (text) =>
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  changefreq: (text) => /^(always|hourly|daily|weekly|monthly|yearly|never)$/.test(text),
  priority: (text) => /^(0(\.\d+)?|1(\.0+)?)$/.test(text),
};
const ENTRY_OF: Readonly<Record<string, string>> = { urlset: 'url', sitemapindex: 'sitemap' };
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  url: Object.keys(FORMS),
  sitemap: ['loc', 'lastmod'],
};

/** Reads a file of a sitemap, strictly, and holds it against the rules. */
export function readSitemap(text: string): ReadSitemap {
  const result: ReadSitemap = { root: '', locs: [], faults: [] };
  const { locs, faults } = result;
  const open: string[] = [];
  let entries = 0;
  let seen = new Set<string>();
  let value = '';
  const fault = (what: string): void => void (faults.length < 20 && faults.push(what));
  const parser = sax.parser(true, {});
  const onerror = (error: Error): void => {
    fault(error.message);
    parser.resume();
  };
  const onopentag = ({ name, attributes }: { name: string; attributes: Readonly<Record<string, unknown>> }): void => {
    const parent = open.at(-1);
    if (parent === undefined) {
      result.root = name;
      if (!(name in ENTRY_OF) || attributes['xmlns'] !== NAMESPACE) fault(`the root is ${name} of another namespace`);
    } else if (open.length === 1) {
      entries++;
      seen = new Set();
      if (name !== ENTRY_OF[parent]) fault(`${name} in ${parent}`);
    } else if (!ALLOWED[parent]?.includes(name) || seen.has(name)) fault(`${name} in ${parent}`);
    else seen.add(name);
    open.push(name);
    value = '';
  };
  const ontext = (part: string): void => {
    if (open.length === 3) value += part;
    else if (part.trim() !== '') fault(`text in ${open.at(-1)}`);
  };
  const onclosetag = (name: string): void => {
    if (open.length === 3) {
      if (FORMS[name]?.(value) !== true) fault(`${name}: ${value}`);
      if (name === 'loc') locs.push(value);
    }
    if (open.length === 2 && !seen.has('loc')) fault(`${name} without loc`);
    open.pop();
  };
  Object.assign(parser, { onerror, onopentag, ontext, onclosetag });
  if (!text.startsWith('<?xml version="1.0" encoding="UTF-8"?>')) fault('does not say that it is UTF-8');
  parser.write(text).close();
  if (entries > ENTRIES_MAX || entries === 0) fault(`${entries} entries`);
  if (Buffer.byteLength(text) > BYTES_MAX) fault('larger than 50 MB');
  return result;
}
