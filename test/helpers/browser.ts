import { chromium, type Browser } from 'playwright-core';
import { cleanup } from './cleanup.ts';
import { chromiumPath } from './services.ts';

/** A name of a local network: its pages by http are no secure context. It leads to this machine. */
export const PLAIN_HOST = 'posthorn.lan';

/** As root, which containers are, Chromium starts without its sandbox only; and it must not look for its maker's hosts. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
];

/** The installed browser, headless; closed after the test file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: FLAGS });
  cleanup(() => browser.close());
  return browser;
}
