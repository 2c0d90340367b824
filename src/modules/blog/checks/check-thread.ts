/** The thread that reads one long body. Ended by its owner when it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { readBody } from './read-body.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(readBody(workerData as string));
