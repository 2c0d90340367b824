import type { Cost, Costs } from '../costs.ts';
import { type Usage, usage } from '../costs/meter.ts';

/** What a marketplace has to do. The blog shares nothing with the events, and is not divided with them. */
export interface Demand {
  eventsPerSecond: number;
  /** Endpoints that each event goes to. */
  fanOut: number;
  /** How long a receiver takes to answer. Seconds. */
  receiverSeconds: number;
  /** Further attempts for each delivery. */
  retries: number;
  readsPerSecond: number;
  viewsPerSecond: number;
  /** For how long the disk has to take events, which are kept for ever. */
  years: number;
}

/** Wake-ups a second, beyond which a worker looks as often as it may (src/platform/bus/subscriptions.ts: every 11 ms). */
const WAKES = 90;
/** Of a core, so that a burst finds room. */
export const BUSY = 0.6;
/** WEBHOOK_WORKER_IN_FLIGHT as it is without a setting; receivers that take over a second get half of it (src/modules/webhooks/engine/slots.ts). */
const inFlightOf = (receiverSeconds: number): number => (receiverSeconds > 1 ? 512 : 1024);
const DAY = 86_400;
/** DELIVERY_RETENTION_DAYS as it is without a setting. */
const DELIVERY_DAYS = 90;

/** What one installation on one database can have. These are of machines that can be bought, and of the code; none is measured. */
export const LIMITS = {
  /** Cores of PostgreSQL, used to 60 %. */
  databaseCores: 64,
  /** What one disk takes of its log. */
  walMegabytesPerSecond: 400,
  /** A volume, which has to hold the events of so many years and 90 days of deliveries. */
  terabytes: 64,
  /** Workers: slots of accounts (docs/adr/0034). */
  workers: 64,
  /** The core of the process that has the reactions and seals, each of which one process does; here one has them all. */
  serialCores: BUSY,
} as const;

export type Limit = keyof typeof LIMITS;

/** Processes among which the work is divided. */
export interface Processes {
  apis: number;
  workers: number;
}

/** Of the database: a part for each, and one for each wake-up, which is shared by what comes with it. */
function inPortions(low: number, high: number, rate: number, { rates }: Costs): number {
  const shared = (at: number): number => Math.min(1, WAKES / at);
  return high + ((low - high) * (shared(rate) - shared(rates.high))) / (shared(rates.low) - shared(rates.high));
}

/** Of a process: a power of the rate. The more comes at once, the more of it shares a turn of the event loop, a system call, what is in the cache. */
function byPower(low: number, high: number, rate: number, { rates }: Costs): number {
  const power = Math.log(low / high) / Math.log(rates.high / rates.low);
  return high * (rates.high / rate) ** power;
}

const OF_DATABASE: readonly (keyof Usage)[] = ['postgres', 'transactions'];

/**
 * One of something at the rate that a process, or the database, has of it, from its costs at two. These two laws met what was measured in between best. They
 * are not carried on beyond the most that was measured.
 */
function costAt({ low, high }: Cost, perSecond: number, costs: Costs, { apis, workers }: Processes): Usage {
  const { rates, most } = costs;
  return usage((kind) => {
    const among = kind === 'api' ? apis : kind === 'worker' || kind === 'workerMain' ? workers : 1;
    const rate = Math.min(most.eventsPerSecond, Math.max(rates.low, perSecond / among));
    if (high[kind] <= 0 || low[kind] <= high[kind]) return Math.max(0, high[kind]);
    const law = OF_DATABASE.includes(kind) ? inPortions : byPower;
    return Math.max(0, law(low[kind], high[kind], rate, costs));
  });
}

const sum = (parts: readonly Usage[]): Usage => usage((kind) => parts.reduce((total, part) => total + part[kind], 0));
const times = (one: Usage, factor: number): Usage => usage((kind) => one[kind] * factor);

/** What is used in a second, by so many processes. */
export function usedBy(demand: Demand, costs: Costs, processes: Processes): Usage {
  const { eventsPerSecond: events, fanOut, retries, readsPerSecond: reads, viewsPerSecond: views } = demand;
  const at = (cost: Cost, perSecond: number): Usage =>
    perSecond === 0 ? usage(() => 0) : times(costAt(cost, perSecond, costs, processes), perSecond);
  const deliveries = events * fanOut;
  const { apis, workers } = processes;
  return sum([
    costs.idle,
    usage((kind) => (kind === 'api' ? costs.idle.api * (apis - 1) : 0)),
    times(costs.idleWorker, workers - 1),
    at(costs.read, reads),
    at(costs.view, views),
    at(costs.event, events),
    at(costs.delivery, deliveries),
    at(costs.retry, deliveries * retries),
    // It looks as often as it may from some events a second on, and reads past each of them.
    times(costs.look, (workers - 1) * Math.max(Math.min(1, events / WAKES), events / costs.rates.high)),
  ]);
}

export interface Plan {
  used: Usage;
  /** Processes that take requests. */
  apis: number;
  workers: number;
  partitions: number;
  /** Cores that PostgreSQL needs so that none is used for more than 60 %. */
  databaseCores: number;
  /** Requests to receivers at the same time. */
  inFlight: number;
  /** How much of each limit is used; above 1 it does not fit. */
  shares: Record<Limit, number>;
}

/** What a worker has one of: a main thread, a sender thread, and room for requests under way. The fullest of them, of all workers. */
const workOf = ({ worker, workerMain }: Usage, room: number): number => Math.max(workerMain, worker - workerMain, room);

/** Of how many workers the room for requests under way is needed. */
const roomOf = (demand: Demand): number => underWay(demand) / inFlightOf(demand.receiverSeconds);
const underWay = ({ eventsPerSecond, fanOut, retries, receiverSeconds }: Demand): number =>
  eventsPerSecond * fanOut * (1 + retries) * receiverSeconds;

/** Bytes that are there in the end: the events, and what is kept of deliveries. */
function storedBy(
  { eventsPerSecond: events, fanOut, retries, years }: Demand,
  { event, delivery, retry }: Costs,
): number {
  const deliveries = events * fanOut;
  const ofDeliveries = deliveries * (delivery.high.storedBytes + retries * retry.high.storedBytes);
  return years * 365 * DAY * events * event.high.storedBytes + DELIVERY_DAYS * DAY * ofDeliveries;
}

/** How many of each it takes, each with room to spare, on one database. */
export function planFor(demand: Demand, costs: Costs): Plan {
  const room = roomOf(demand);
  let [apis, workers] = [1, 1];
  const more = (n: number): number => Math.max(n + 1, Math.floor(n * 1.02));
  while (workOf(usedBy(demand, costs, { apis, workers }), room) / workers > BUSY && workers < 100_000)
    workers = more(workers);
  while (usedBy(demand, costs, { apis, workers }).api / apis > BUSY && apis < 100_000) apis = more(apis);
  const used = usedBy(demand, costs, { apis, workers });
  const databaseCores = used.postgres / BUSY;
  const serial = demand.eventsPerSecond * Math.max(0, costs.event.high.workerMain);
  return {
    used,
    apis,
    workers,
    partitions: workers === 1 ? 1 : Math.min(LIMITS.workers, 2 ** Math.ceil(Math.log2(workers * 4))),
    databaseCores,
    inFlight: underWay(demand),
    shares: {
      databaseCores: databaseCores / LIMITS.databaseCores,
      walMegabytesPerSecond: used.walBytes / 1e6 / LIMITS.walMegabytesPerSecond,
      terabytes: storedBy(demand, costs) / 1e12 / LIMITS.terabytes,
      workers: workers / LIMITS.workers,
      serialCores: serial / LIMITS.serialCores,
    },
  };
}

/** The events of one of `k` installations among which they are divided, without the blog. */
export const partOf = (demand: Demand, k: number): Demand => ({
  ...demand,
  eventsPerSecond: demand.eventsPerSecond / k,
  readsPerSecond: 0,
  viewsPerSecond: 0,
});

/** The blog alone. */
export const blogOf = (demand: Demand): Demand => ({ ...demand, eventsPerSecond: 0 });

const isWithin = (demand: Demand, costs: Costs): boolean =>
  Object.values(planFor(demand, costs).shares).every((share) => share <= 1);

/** Into how many installations with a database each, by account, it has to be divided so that none is over a limit. */
export function installationsFor(demand: Demand, costs: Costs): number {
  for (let k = 1; k < 100_000; k++) if (isWithin(partOf(demand, k), costs)) return k;
  return Number.POSITIVE_INFINITY;
}

/** The limits in the order in which they are reached when such a demand grows, each with the events a second. */
export function giveWay(demand: Demand, costs: Costs): { limit: Limit; eventsPerSecond: number }[] {
  const reached = (limit: Limit): number => {
    let [low, high] = [0, 1e7];
    for (let i = 0; i < 60; i++) {
      const events = (low + high) / 2;
      const { shares } = planFor(partOf(demand, demand.eventsPerSecond / events), costs);
      if (shares[limit] > 1) high = events;
      else low = events;
    }
    return low;
  };
  return (Object.keys(LIMITS) as Limit[])
    .map((limit) => ({ limit, eventsPerSecond: reached(limit) }))
    .toSorted((a, b) => a.eventsPerSecond - b.eventsPerSecond);
}

export interface Burst {
  /** Greatest number of deliveries that wait. */
  waiting: number;
  /** From the burst's end until none waits any more. Seconds. */
  drainSeconds: number;
  /** Of the one that waits longest. Seconds. */
  longestSeconds: number;
}

/** Second by second: so many times the usual events for so long, with everything of the plan at full use. */
export function burst(
  demand: Demand,
  { apis, workers, databaseCores, used }: Plan,
  { factor, seconds }: { factor: number; seconds: number },
): Burst {
  const usual = demand.eventsPerSecond * demand.fanOut;
  // How many times as much each of them can do. Requests that cannot be taken wait as well: at whoever publishes.
  const room = Math.min(
    apis / used.api,
    workers / workOf(used, roomOf(demand)),
    Math.min(LIMITS.databaseCores, Math.ceil(databaseCores)) / used.postgres,
  );
  const perSecond = usual * room;
  let [waiting, greatest, second] = [0, 0, 0];
  do {
    waiting = Math.max(0, waiting + (second < seconds ? factor : 1) * usual - perSecond);
    greatest = Math.max(greatest, waiting);
    second++;
  } while ((second < seconds || waiting > 0) && second < DAY);
  return {
    waiting: greatest,
    drainSeconds: second - seconds,
    longestSeconds: greatest === 0 ? 0 : greatest / perSecond,
  };
}

/** Events a second, each delivered once, at which everything together needs all cores of one machine: who makes the load and the receivers as well. */
export function mostOn(costs: Costs): number {
  let [low, high] = [1, 1_000_000];
  for (let i = 0; i < 60; i++) {
    const events = (low + high) / 2;
    const demand = {
      eventsPerSecond: events,
      fanOut: 1,
      receiverSeconds: 0,
      retries: 0,
      readsPerSecond: 0,
      viewsPerSecond: 0,
      years: 1,
    };
    const used = usedBy(demand, costs, { apis: 1, workers: 1 });
    const all = used.api + used.worker + used.postgres + events * costs.most.rest;
    // One process takes requests and one sends.
    if (all > costs.cores || Math.max(used.api, workOf(used, 0)) > 1) high = events;
    else low = events;
  }
  return low;
}
