import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ENDPOINT_CHANGES, type EndpointChange } from '../recovery/lifecycle.ts';
import type { Engine } from './engine.ts';
import { ATTEMPT_ERROR_CLASSES, type DeliveryStatus } from './rules.ts';
import type { AttemptOutcome } from './types.ts';

/** Registers the engine's metrics; gauges read `engine` when they are asked. */
export function engineMetrics(
  metrics: Registry,
  engine: () => Pick<Engine, 'dispatcher' | 'dispatch' | 'recorder' | 'fanOut'>,
) {
  new Gauge({
    name: 'posthorn_webhook_in_flight',
    help: 'Requests to endpoints under way.',
    registers: [metrics],
    collect() {
      this.set(engine().dispatcher.inFlight);
    },
  });
  new Gauge({
    name: 'posthorn_webhook_unwritten',
    help: 'Outcomes of deliveries not yet written.',
    registers: [metrics],
    collect() {
      this.set(engine().recorder.backlog);
    },
  });
  new Gauge({
    name: 'posthorn_webhook_open_events',
    help: 'Events that are being fanned out.',
    registers: [metrics],
    collect() {
      this.set(engine().fanOut.open);
    },
  });
  new Gauge({
    name: 'posthorn_webhook_partitions',
    help: 'Parts of the webhook fan-out that this process holds.',
    registers: [metrics],
    collect() {
      this.set(engine().fanOut.parts.length);
    },
  });
  new Gauge({
    name: 'posthorn_webhook_workers',
    help: 'Workers that this process shares attempts with, itself among them.',
    registers: [metrics],
    collect() {
      this.set(engine().dispatch?.workers ?? 1);
    },
  });
  new Counter({
    name: 'posthorn_webhook_shared_total',
    help: 'Attempts handed to other workers, taken back since nobody answered, and made for others.',
    labelNames: ['how'],
    registers: [metrics],
    collect() {
      this.reset();
      const { handed = 0, takenBack = 0, made = 0 } = engine().dispatch ?? {};
      for (const [how, n] of Object.entries({ handed, taken_back: takenBack, made })) this.inc({ how }, n);
    },
  });
  /**
   * By error class, then by status: a counter with labels would build and hash them on every delivery. All are told from the start:
   * Prometheus makes nothing of a series that is not there, and where nothing succeeds, the share that fails would be nothing as well, and no
   * alert. A series that appears at 200 has not increased to it, so the first dead letters of a class would raise none either.
   */
  const attempts = new Map<string | null, Map<DeliveryStatus, number>>([
    [null, new Map([['DELIVERED', 0]])],
    ...ATTEMPT_ERROR_CLASSES.map(
      (name) =>
        [
          name,
          new Map<DeliveryStatus, number>([
            ['PENDING', 0],
            ['DEAD', 0],
          ]),
        ] as const,
    ),
  ]);
  new Counter({
    name: 'posthorn_webhook_attempts_total',
    help: 'Attempts by outcome.',
    labelNames: ['status', 'error'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const [error, byStatus] of attempts)
        for (const [status, n] of byStatus) this.inc({ status, error: error ?? '' }, n);
    },
  });
  const seconds = new Histogram({
    name: 'posthorn_webhook_attempt_seconds',
    help: 'Time of an attempt.',
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [metrics],
  });
  const faults = new Counter({
    name: 'posthorn_webhook_faults_total',
    help: 'Deliveries put off because our own code failed on them; it costs them no attempt.',
    registers: [metrics],
  });
  const changes = new Counter({
    name: 'posthorn_webhook_endpoint_changes_total',
    help: 'Endpoints that were disabled, opened again by a probe, or probed in vain.',
    labelNames: ['change'],
    registers: [metrics],
  });
  // From the start: the increase of a series that appears at 20 is 0 to Prometheus.
  for (const change of ENDPOINT_CHANGES) changes.inc({ change }, 0);
  return {
    endpointChanged: (change: EndpointChange): void => changes.inc({ change }),
    /** Our own code failed on a delivery. */
    failedByUs(): void {
      faults.inc();
    },
    /** An attempt was made and ended so. */
    attempted({ status, errorClass, durationMs }: AttemptOutcome): void {
      let byStatus = attempts.get(errorClass);
      if (!byStatus) attempts.set(errorClass, (byStatus = new Map()));
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      seconds.observe(durationMs / 1000);
    },
  };
}
