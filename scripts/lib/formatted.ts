import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './step.ts';

/** A text as the formatter of the project writes it, as if it were the file at `path`. */
export async function formatted(path: string, text: string): Promise<string> {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const child = spawn(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let result = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (result += part));
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${path} could not be formatted`);
  return result;
}
