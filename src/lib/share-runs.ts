/**
 * One run at a time; whoever asks before a run has begun shares it, so what it reads is never older than the asking. A
 * failure is told to those who shared that run, and the next run does not mind it. `gather` is waited for before a run
 * begins, so that more can share it.
 */
export function shareRuns(run: () => Promise<void>, gather?: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let queued: Promise<void> | null = null;
  return () => {
    if (queued) return queued;
    const mine = (gather ? running.then(gather) : running).then(() => {
      queued = null;
      return run();
    });
    queued = mine;
    running = mine.catch(() => undefined);
    return mine;
  };
}
