import { Counter, Gauge, type Registry } from 'prom-client';
import type { Replica } from './replica.ts';

/** What is told of a replica at /metrics. */
export function registerReplicaMetrics(
  replica: Pick<Replica, 'used' | 'fallbacks' | 'status'>,
  metrics: Registry,
): void {
  const registers = [metrics];
  new Counter({
    name: 'posthorn_replica_reads_total',
    help: 'Reads that the replica has answered.',
    registers,
    collect() {
      this.reset();
      this.inc(replica.used);
    },
  });
  new Counter({
    name: 'posthorn_replica_fallbacks_total',
    help: 'Reads that the primary has answered instead of the replica, by the reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of replica.fallbacks) this.inc({ reason }, count);
    },
  });
  new Gauge({
    name: 'posthorn_replica_used',
    help: '1: reads go to the replica; 0: to the primary.',
    registers,
    collect() {
      this.set(replica.status.reason === null ? 1 : 0);
    },
  });
  new Gauge({
    name: 'posthorn_replica_lag_bytes',
    help: 'Of the log of the primary, what the replica had not replayed when it last told; NaN: it does not tell.',
    registers,
    collect() {
      this.set(replica.status.lagBytes ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'posthorn_replica_lag_seconds',
    help: 'How long ago the last commit was made that the replica had replayed when it last told; 0: it had all, NaN: it does not tell.',
    registers,
    collect() {
      const { lagMs } = replica.status;
      this.set(lagMs === null ? Number.NaN : lagMs / 1000);
    },
  });
}
