import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';
import { BodyFindings } from './body-findings.ts';
import type { Problem } from './problems.ts';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

const newlines = (text: string): number => text.split('\n').length - 1;

/** Reads HTML as it stands in Markdown: a block, or one tag of a line. An end that is missing is not made up. */
function readHtml(html: string, line: number, findings: BodyFindings): void {
  let [at, lineNow] = [0, line];
  const parser = new Parser({
    onopentag(name, attributes) {
      for (; at < parser.startIndex; at++) if (html[at] === '\n') lineNow++;
      if (name === 'img') findings.image(attributes['alt'] ?? null, attributes['src'] ?? '', lineNow);
      else if (name === 'a' && attributes['href'] !== undefined) findings.openLink(attributes['href'], lineNow);
      else if (/^h[1-6]$/.test(name)) findings.heading(Number(name[1]), lineNow);
      else findings.element(name, lineNow);
    },
    ontext: (text) => (text.trim() === '' ? undefined : findings.content()),
    onclosetag: (name, implied) => (name === 'a' && !implied ? findings.closeLink() : undefined),
  });
  parser.end(html);
}

/** A closing tag alone: a parser drops what was not opened before. */
const CLOSED_LINK = /^<\/a\s*>$/i;

function readInline(tokens: readonly Token[], first: number, findings: BodyFindings): void {
  let line = first;
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') line++;
    else if (token.type === 'link_open') findings.openLink(String(token.attrGet('href') ?? ''), line);
    else if (token.type === 'link_close') findings.closeLink();
    else if (token.type === 'image') {
      const alt = token.content.trim() === '' ? null : token.content;
      findings.image(alt, String(token.attrGet('src') ?? ''), line);
    } else if (token.type === 'html_inline') {
      if (CLOSED_LINK.test(token.content)) findings.closeLink();
      else readHtml(token.content, line, findings);
      line += newlines(token.content);
    } else if (token.content.trim() !== '') findings.content();
  }
}

/**
 * What is wrong with images, links and headings of a Markdown text, with their lines; at most 100 findings. Code is read
 * over, as a parser does. Takes as long as it takes: see check-body.ts.
 */
export function readBody(markdown: string): Problem[] {
  const md = new MarkdownIt({ html: true, maxNesting: 20 });
  // Else a link to `javascript:` would be text, and not be found.
  md.validateLink = () => true;
  const findings = new BodyFindings();
  let line = 1;
  for (const token of md.parse(markdown, {})) {
    line = token.map ? token.map[0] + 1 : line;
    if (token.type === 'heading_open') findings.heading(Number(token.tag.slice(1)), line);
    else if (token.type === 'html_block') readHtml(token.content, line, findings);
    else if (token.type === 'inline') readInline(token.children ?? [], line, findings);
  }
  return findings.problems;
}
