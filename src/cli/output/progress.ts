/** Rewrites one line of a terminal; says nothing where stderr is none. */
export function progressLine(
  what: string,
  total?: number,
): {
  show: (done: number, of?: number) => void;
  end: () => void;
} {
  const shows = process.stderr.isTTY;
  let last = -1;
  return {
    show(done, of = total) {
      // A terminal is slower than the work.
      if (!shows || (done - last < 10 && done !== of)) return;
      last = done;
      process.stderr.write(`\r${done}${of === undefined ? '' : ` of ${of}`} ${what}`);
    },
    end() {
      if (shows && last >= 0) process.stderr.write('\r\u001b[K');
    },
  };
}
