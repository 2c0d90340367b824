/**
 * `npm run bench`: every measurement, each written into RESULTS.md in place of the one before. Some eight hours, and 50 GB of disk;
 * `npm run bench -- reads cores` runs these only. It needs PostgreSQL (BENCH_DATABASE_URL of a superuser, else postgres at 127.0.0.1:5432), wrk, nats-server,
 * and for the blog the archive of real posts that the tests use.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { backlog, backlogSection } from './backlog.ts';
import { blog, memoryOf } from './blog.ts';
import { blogSection } from './blog/section.ts';
import { cores, coresSection } from './cores.ts';
import { halves, halvesSection } from './cores/halves.ts';
import { costs, keepCosts } from './costs.ts';
import { dashboard, dashboardSection } from './dashboard.ts';
import { deliveries, deliveriesSection } from './deliveries.ts';
import { events } from './events.ts';
import { eventsSection } from './events/section.ts';
import { full, fullSection } from './full.ts';
import { hanging, hangingSection } from './hanging.ts';
import { withPiece } from './lib/results.ts';
import { lists, listsSection } from './lists.ts';
import { pages, pagesSection } from './pages.ts';
import { reads, readsSection } from './reads.ts';
import { rest, restSection } from './rest.ts';
import { sending } from './sending.ts';
import { costsSection } from './simulate.ts';
import { keepPlot, soak, soakSection } from './soak.ts';
import { upgrade, upgradeSection } from './upgrade.ts';
import { workers, workersSection } from './workers.ts';

const RESULTS = new URL('RESULTS.md', import.meta.url);

/** In the order of the page. */
const PIECES: Readonly<Record<string, () => Promise<string>>> = {
  deliveries: async () => deliveriesSection(await deliveries()),
  rest: async () => restSection(await rest()),
  sending,
  backlog: async () => backlogSection(await backlog()),
  hanging: async () => hangingSection(await hanging()),
  workers: async () => workersSection(await workers()),
  events: async () => eventsSection(await events()),
  upgrade: async () => upgradeSection(await upgrade()),
  soak: async () => {
    const result = await soak();
    await keepPlot(result);
    return soakSection(result);
  },
  costs: async () => {
    const result = await costs();
    await keepCosts(result);
    return costsSection(result);
  },
  reads: async () => readsSection(await reads()),
  pages: async () => pagesSection(await pages()),
  cores: async () => `${coresSection(await cores())}\n${halvesSection(await halves())}`,
  blog: async () => blogSection(await blog(), await memoryOf()),
  lists: async () => listsSection(await lists()),
  full: async () => fullSection(await full()),
  dashboard: async () => dashboardSection(await dashboard()),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in PIECES));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}; there are ${Object.keys(PIECES).join(', ')}.`);
  process.exit(1);
}
for (const [name, measure] of Object.entries(PIECES)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const piece = await measure();
  console.log(piece);
  // Read at once before it is written: a run of hours is no reason to undo what was written meanwhile.
  await writeFile(RESULTS, withPiece(await readFile(RESULTS, 'utf8'), name, piece));
}
process.exit(0);
