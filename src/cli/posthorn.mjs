#!/usr/bin/env node
// The way in from a shell, in words that every Node understands: the program itself needs Node 24, which comes as a package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LEAST = 24;
const main = new URL('./main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= LEAST) {
  // Loading is most of the time of a short command. Not the usual folder: others could write there.
  nodeModule.enableCompileCache(join(homedir(), '.cache', 'posthorn'));
  await import(main.href);
} else {
  const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
  if (existsSync(node)) {
    const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
    // Ctrl-C reaches both; the other one ends in its own way, and this one with it.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('error', (error) => {
      console.error(`posthorn: cannot start ${node}: ${error.message}`);
      process.exit(1);
    });
    child.on('exit', (code, signal) => {
      if (signal !== null) console.error(`posthorn: ${node} was ended by ${signal}`);
      process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  } else {
    console.error(
      `posthorn: Node ${LEAST} or newer is needed, and this is ${process.version}. "npm ci" in the folder of Posthorn brings one along for most machines; else install it from https://nodejs.org`,
    );
    process.exitCode = 1;
  }
}
