import classes from './diff-lines.module.css';

export interface Hunk {
  fromLine: number;
  toLine: number;
  /** Each begins with a space (in both), `-` or `+`. */
  lines: readonly string[];
}

const KINDS: Readonly<Record<string, string>> = { '-': 'removed', '+': 'added' };
const SPOKEN: Readonly<Record<string, string>> = { '-': 'removed: ', '+': 'added: ' };

/** Two texts compared line by line. Signs and words say what colours say. */
export function DiffLines({ hunks, label }: { hunks: readonly Hunk[]; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <section className={classes.frame} tabIndex={0} aria-label={label}>
      {hunks.map((hunk) => (
        <div key={hunk.fromLine} className={classes.hunk}>
          <div className={classes.place}>
            line {hunk.fromLine} → {hunk.toLine}
          </div>
          {hunk.lines.map((line, i) => {
            const sign = line[0] ?? ' ';
            return (
              // oxlint-disable-next-line react/no-array-index-key -- lines may be equal, and never change places
              <div key={i} className={`${classes.line} ${classes[KINDS[sign] ?? ''] ?? ''}`}>
                <span aria-hidden className={classes.sign}>
                  {sign}
                </span>
                <span className={classes.spoken}>{SPOKEN[sign]}</span>
                <bdi>{line.slice(1)}</bdi>
              </div>
            );
          })}
        </div>
      ))}
    </section>
  );
}
