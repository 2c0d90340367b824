/**
 * RESULTS.md is pieces, each behind a comment with its name, `<!-- workers -->`; what follows `<!-- workers: note -->` is
 * written by people and stays when the piece is written anew.
 */

const mark = (name: string): string => `<!-- ${name} -->`;
const NEXT_MARK = /^<!-- [a-z-]+(?:: note)? -->$/m;

/** The text with another piece of this name; at its end, when it has none yet. */
export function withPiece(text: string, name: string, piece: string): string {
  const own = `${mark(name)}\n\n${piece.trim()}\n`;
  const from = text.indexOf(`${mark(name)}\n`);
  if (from < 0) return `${text.trimEnd()}\n\n${own}`;
  const behind = text.slice(from + mark(name).length);
  const next = NEXT_MARK.exec(behind)?.index;
  return text.slice(0, from) + own + (next === undefined ? '' : `\n${behind.slice(next)}`);
}
