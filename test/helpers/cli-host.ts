import { CommanderError } from 'commander';
import { tell } from '../../src/cli/failure.ts';
import { createProgram } from '../../src/cli/program.ts';

/**
 * Runs `posthorn …` as often as its parent says, one after the other: loading is most of the time of a short command, and is
 * paid once here. For what neither reads standard input nor goes on until Ctrl-C.
 */

type Write = (chunk: unknown, ...rest: unknown[]) => boolean;

/** Keeps what is written to a stream; `end` lets it through again. */
function kept(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  const before = stream.write.bind(stream);
  let text = '';
  const write: Write = (chunk, ...rest) => {
    text += chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
    const written = rest.at(-1);
    if (typeof written === 'function') (written as () => void)();
    return true;
  };
  stream.write = write;
  return { text: () => text, end: () => void (stream.write = before) };
}

async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err] = [kept(process.stdout), kept(process.stderr)];
  process.exitCode = 0;
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    const { line, exitCode } =
      error instanceof CommanderError
        ? { line: error.message, exitCode: error.exitCode }
        : tell(error, process.env['POSTHORN_URL'] ?? '');
    process.stderr.write(`${line ?? String(error)}\n`);
    process.exitCode = exitCode;
  } finally {
    out.end();
    err.end();
  }
  return { code: process.exitCode, out: out.text(), err: err.text() };
}

process.on('message', (args: string[]) => {
  void run(args).then((ran) => process.send?.(ran));
});
