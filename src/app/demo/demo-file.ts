import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { makeFolder } from '../../lib/make-folder.ts';

const DemoSchema = Type.Object({
  about: Type.String(),
  createdAt: Type.String(),
  users: Type.Array(
    Type.Object({ who: Type.String(), name: Type.String(), email: Type.String(), password: Type.String() }),
  ),
  accounts: Type.Array(
    Type.Object({
      who: Type.String(),
      name: Type.String(),
      id: Type.String(),
      /** Absent: the account has no key. */
      key: Type.Optional(Type.String()),
      signingSecret: Type.Optional(Type.String()),
      keyIsFor: Type.String(),
    }),
  ),
});

/** The demo's credentials, in clear text: they open nothing but the demo. */
export type Demo = Static<typeof DemoSchema>;

/** Where they are kept: beside the embedded database, for the owner of the folder only. */
export const demoFile = (dataDir: string): string => join(dataDir, 'demo.json');

/**
 * Replaces the file as a whole, or not at all: it is written under another name, forced to the disk, then renamed, so a
 * process that dies at any point leaves the old file or the new one.
 */
export async function writeDemo(dataDir: string, demo: Demo): Promise<void> {
  const file = demoFile(dataDir);
  const draft = `${file}.new`;
  await makeFolder(dataDir);
  // Removed first, because a mode is given to new files only.
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(demo, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** The demo that the data folder tells of; null when there is none, or the file is not one of ours. */
export async function readDemo(dataDir: string): Promise<Demo | null> {
  const text = await readFile(demoFile(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    // Three hundred modules, which a service without a demo starts without.
    const { Check } = await import('typebox/value');
    return Check(DemoSchema, value) ? value : null;
  } catch {
    return null;
  }
}
