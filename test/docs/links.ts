import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { ROOT } from '../../scripts/lib/step.ts';
import { type Page, readPage } from './page.ts';

const anchorsOf = new Map<string, Set<string>>();

function anchors(path: string): Set<string> {
  let known = anchorsOf.get(path);
  if (!known) anchorsOf.set(path, (known = readPage(path).anchors));
  return known;
}

function faultOf(page: Page, href: string): string | null {
  if (/^(https?|mailto):/.test(href)) return URL.canParse(href) ? null : 'is no address';
  const [target = '', anchor] = decodeURI(href).split('#');
  const path = target === '' ? page.path : posix.join(posix.dirname(page.path), target);
  if (path.startsWith('../') || !existsSync(posix.join(ROOT, path))) return 'leads nowhere';
  if (anchor === undefined) return null;
  if (statSync(posix.join(ROOT, path)).isDirectory() || !path.endsWith('.md')) return 'has an anchor and is no page';
  const there = path === page.path ? page.anchors : anchors(path);
  return there.has(anchor) ? null : `has no heading for #${anchor}`;
}

/** What is wrong with the links and pictures of a page: a line for each. */
export function linkFaults(page: Page): string[] {
  const faults: string[] = [];
  for (const { line, href } of page.links) {
    const fault = faultOf(page, href);
    if (fault !== null) faults.push(`${page.path}:${line}: ${href} ${fault}`);
  }
  for (const { line, src, alt } of page.images) {
    const fault = faultOf(page, src);
    if (fault !== null) faults.push(`${page.path}:${line}: ${src} ${fault}`);
    if (alt.trim().length < 10) faults.push(`${page.path}:${line}: ${src} has no text for those who do not see it`);
  }
  return faults;
}
