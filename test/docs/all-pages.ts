import { globSync } from 'node:fs';
import { ROOT } from '../../scripts/lib/step.ts';
import { type Page, readPage } from './page.ts';

const find = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted();

/** What people read to use the service: every block of these is run, every name checked. */
export const GUIDES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'client/README.md',
  'dashboard/README.md',
  'examples/README.md',
  ...find('docs/**/*.md').filter((path) => !path.startsWith('docs/adr/')),
].map(readPage);

/** Besides those: what tells of decisions and of folders. Their links are checked. */
export const OTHERS: readonly Page[] = [
  ...find('docs/adr/*.md'),
  ...find('{src,bench}/**/*.md').filter((path) => !path.includes('/posts/')),
  'CHANGELOG.md',
].map(readPage);
