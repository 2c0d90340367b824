/** Code of WP-Syntax, which shows what is between as it is written; where it says `escaped` or has marks of a highlighter it is HTML. */
const AS_WRITTEN = /^<pre\s(?:[^<>]*\s)?lang=["']([\w+#-]+)["']/i;
const IS_HTML = /^[^<>]*\b(?:escaped=["']true|class=)/i;
const HAS_MARKS = /^\s*<(?:code|span)\b/i;

/** Other themes put the language of a text there, whose names have two or three letters. These are no people's, or hardly any people's that blogs. */
const OF_CODE = new Set(
  [
    'bf cc cl ex fs go hs hx jl js kt md nu oz pf py rb rs sh tf ts vb',
    'ada asm bas bin div hbs lua mak pli pro sas src str xsl',
  ].flatMap((names) => names.split(' ')),
);
/** These are both: of C# and Czech, of Perl and Polish, of a processor and Armenian. */
const OF_BOTH = new Set('arm as cr cs el fo io ksh mk ml per pl ps sc st'.split(' '));
/** Knows the languages of people by three letters, those that have two as well (`deu`, `ger`) and others (`fil`). */
const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
/** A script, or a country: `zh-Hant-TW`, `es-419`; not that of `pl-sql`. */
const OF_PEOPLE = /^(?:[a-z]{2}|[a-z]{4}|\d{3})$/;

/** What a text has besides its words, as editors write it, in capitals if they are old. `List<B>` is code. Without them, this is no text. */
const TEXT_TAGS = [
  /<\/?(?:br|cite|del|em|small|span|strong|sub|sup)(?:\s[^<>]*|\/)?>/gi,
  /<\/?[abiqu](?:\s[^<>]*)?>/g,
  /(?:<\/|(?<!\w)<)[ABIQU](?:\s[^<>]*)?>/g,
];
const SIGN_OF_CODE = /[<{}$=]|\w\(/;

/** Where the name leaves it open, what is between decides: a text may lose its tags, code must not lose what looks like one. */
function isProse(name: string, code: string): boolean {
  const [language = '', ...behind] = name.toLowerCase().split('-');
  if (!/^[a-z]{2,3}$/.test(language) || OF_CODE.has(language)) return false;
  if (language.length === 3 && LANGUAGES.of(language) === undefined) return false;
  if (!OF_BOTH.has(language) || behind.some((subtag) => OF_PEOPLE.test(subtag))) return true;
  return !SIGN_OF_CODE.test(TEXT_TAGS.reduce((text, tags) => text.replaceAll(tags, ''), code));
}

/** Whether what stands between `<pre …>` and its end is no HTML, although browsers take it as such. */
export function isAsWritten(tag: string, code: string): boolean {
  const name = AS_WRITTEN.exec(tag)?.[1];
  if (name === undefined || IS_HTML.test(tag.slice(1)) || HAS_MARKS.test(code)) return false;
  return !isProse(name, code);
}
