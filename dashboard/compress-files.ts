import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller ones do not gain by it: a packet holds about so much. Bytes. */
const MIN_BYTES = 1400;
const TEXT = /\.(js|css|svg|json|map)$/;

/** 11 would make files 3 % smaller and the build four times as long (measured). */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

async function compressFile(path: string): Promise<void> {
  if (!TEXT.test(path) || (await stat(path)).size < MIN_BYTES) return;
  const bytes = await readFile(path);
  await Promise.all([
    promisify(brotliCompress)(bytes, BROTLI).then((packed) => writeFile(`${path}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${path}.gz`, packed)),
  ]);
}

/** Puts `.br` and `.gz` beside every text file of the build, so that the service compresses nothing. */
export function compressFiles(): Plugin {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true });
      await Promise.all(names.map((name) => compressFile(join(folder, name))));
    },
  };
}
