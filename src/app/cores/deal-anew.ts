import type { Worker } from 'node:cluster';

/** What matters here of a message of node:cluster: `newconn` with a connection one way, `ack` of its `seq` the other. */
interface ClusterMessage {
  act?: string;
  seq?: number;
  ack?: number;
}

interface Handle {
  close(): void;
}

/**
 * node:cluster forgets a connection that is on its way to a child when that dies: it stays open, and nobody ever answers on
 * it. Under load that is one with every child that is killed, since the supervisor hears of it a moment later. This notes
 * what a child has not taken yet, and tells node:cluster when the child is gone that it was not accepted, as a child does that
 * is about to end: then it goes to another one. Where there is none it is closed.
 */
export function dealAnew(worker: Worker, hasOthers: () => boolean): void {
  const child = worker.process;
  const underWay = new Map<number, Handle>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: ClusterMessage, handle?: unknown, ...more: unknown[]): boolean => {
    if (message.act === 'newconn' && message.seq !== undefined) underWay.set(message.seq, handle as Handle);
    return send(message, handle, ...more);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => ack !== undefined && underWay.delete(ack));
  // Ended, and its channel closed.
  child.once('close', () => {
    // Node does not say so itself while a handle is under way. Without it node:cluster would take the child for one that is free.
    child.emit('disconnect');
    for (const [ack, handle] of underWay) {
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
  });
}
