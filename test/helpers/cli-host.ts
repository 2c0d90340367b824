import { runProgram } from '../../src/cli/run-program.ts';

/**
 * Runs `posthorn …` as often as its parent says, one after the other: loading is most of the time of a short command, and is
 * paid once here. For what neither reads standard input nor goes on until Ctrl-C.
 */

/** A command, where and as whom it runs. */
export interface HostCommand {
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

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

/** The whole environment, not what the command before had beside it. */
function setEnv(env: HostCommand['env']): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function run({ args, cwd, env }: HostCommand): Promise<{ code: number; out: string; err: string }> {
  process.chdir(cwd);
  setEnv(env);
  const [out, err] = [kept(process.stdout), kept(process.stderr)];
  process.exitCode = 0;
  try {
    await runProgram(args);
  } finally {
    out.end();
    err.end();
  }
  return { code: process.exitCode, out: out.text(), err: err.text() };
}

process.on('message', (command: HostCommand) => {
  void run(command).then((ran) => process.send?.(ran));
});
