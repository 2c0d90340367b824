import { Counter, Gauge } from 'prom-client';
import { monotonicNow } from '../../../../lib/clock.ts';
import { onVersionBumped, readVersions } from '../../../../platform/db/index.ts';
import type { Platform } from '../../../../platform/platform.ts';
import { USER_NAMES_VERSION } from '../../../accounts/index.ts';
import { PUBLIC_POSTS_VERSION } from '../../counts/counts.ts';
import { countersOf, nextPublication } from '../store.ts';
import { countersText } from './page-template.ts';
import { ReadCache } from './read-cache.ts';

/** What public reads show of posts, and their authors' names. */
const TOPICS = [PUBLIC_POSTS_VERSION, USER_NAMES_VERSION] as const;

/** The cache of the public reads of this process, told of changes here and on other nodes until `close`. `share`: of BLOG_CACHE_MB. */
export function createReadCache(platform: Platform, share: number): { cache: ReadCache; close: () => void } {
  const { db, bus, clock, config, metrics } = platform;
  const cache = new ReadCache({
    readVersion: async () => [...(await readVersions(db, TOPICS)).values()].reduce((sum, version) => sum + version, 0),
    nextPublication: async (now) => (await nextPublication(db, new Date(now)))?.getTime() ?? null,
    readCounters: async (ids) => new Map((await countersOf(db, ids)).map((c) => [c.id, countersText(c)])),
    now: () => clock.now(),
    monotonic: monotonicNow,
    maxBytes: config.BLOG_CACHE_MB * 1024 * 1024 * share,
  });
  const undo = TOPICS.flatMap((topic) => [
    bus.subscribe(topic, () => cache.doubt()),
    onVersionBumped(topic, () => {
      cache.doubt();
      bus.publish(topic);
    }),
  ]);
  new Counter({
    name: 'posthorn_blog_cache_requests_total',
    help: 'Public reads by whether their reply was ready.',
    labelNames: ['result'],
    registers: [metrics],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, cache.hits);
      this.inc({ result: 'miss' }, cache.misses);
    },
  });
  new Gauge({
    name: 'posthorn_blog_cache_bytes',
    help: 'Memory of the ready replies of public reads.',
    registers: [metrics],
    collect() {
      this.set(cache.bytes);
    },
  });
  return { cache, close: () => undo.forEach((fn) => fn()) };
}
