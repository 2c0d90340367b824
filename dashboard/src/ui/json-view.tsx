import { indentedJson } from '../lib/json-text.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './json-view.module.css';

/** Names, texts, numbers and words of JSON; what lies between them is left as it is. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

interface Piece {
  at: number;
  text: string;
  kind: 'name' | 'text' | 'number' | 'word' | undefined;
}

function piecesOf(json: string): Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  const plain = (to: number): void => {
    if (to > last) pieces.push({ at: last, text: json.slice(last, to), kind: undefined });
  };
  for (const match of json.matchAll(TOKEN)) {
    const [whole, quoted, colon, number] = match;
    plain(match.index);
    const text = quoted ?? whole;
    const kind = quoted === undefined ? (number === undefined ? 'word' : 'number') : colon ? 'name' : 'text';
    pieces.push({ at: match.index, text, kind });
    last = match.index + text.length;
  }
  plain(json.length);
  return pieces;
}

/** Beyond this, colours cost more than they give. Characters. */
const MAX_COLOURED = 60_000;

/**
 * A value as indented JSON with colours, or a text that is JSON already (`text`: shown as it is when it is none), with a
 * button to copy it: a text is copied as it is, byte by byte, so that a signature over it fits. `label` names it for screen
 * readers.
 */
export function JsonView({ value, text, label }: { value?: unknown; text?: string; label: string }) {
  const json = text === undefined ? (JSON.stringify(value, null, 2) ?? '') : indentedJson(text);
  return (
    <div className={classes.frame}>
      <div className={classes.copy}>
        <CopyButton value={text ?? json} label={`Copy ${label}`} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <section className={classes.json} tabIndex={0} aria-label={label}>
        {json.length > MAX_COLOURED
          ? json
          : piecesOf(json).map((p) => (
              <span key={p.at} className={p.kind && classes[p.kind]}>
                {p.text}
              </span>
            ))}
      </section>
    </div>
  );
}
