const { PATH = '', NODE_COMPILE_CACHE } = process.env;

/**
 * What a process of ours gets besides its settings, and nothing else of this one's environment: where programs are, and
 * the code that other processes have compiled. With that it starts in half the time.
 */
export const childEnv: Readonly<Record<string, string>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
};

/**
 * Options of V8 for it, before the file: PGlite's code is not optimized, as where there is little memory (src/platform/db/open.ts). To
 * do that takes longer than most of them live, and half a gigabyte.
 */
export const childFlags: readonly string[] = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];
