import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { exactText, shortText } from '../lib/time.ts';

/** A name in backticks, or a time as the API writes it. */
const PIECES = /`([^`]+)`|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/**
 * A sentence of the service: names that stand in backticks, as in its documents, are shown as code, and times as they are in
 * this browser's zone.
 */
export function Sentence({ children }: { children: string }): ReactNode {
  // Of each three pieces: what stands between, a name, a time; of the last two one is there.
  return children.split(PIECES).map((piece, i) => {
    if (piece === undefined || i % 3 === 0) return piece;
    // oxlint-disable-next-line react/no-array-index-key -- pieces of one sentence, which never change places
    if (i % 3 === 1) return <Code key={i}>{piece}</Code>;
    const at = new Date(piece);
    return (
      // oxlint-disable-next-line react/no-array-index-key -- the same
      <time key={i} dateTime={piece} title={exactText(at)}>
        {shortText(at)}
      </time>
    );
  });
}
