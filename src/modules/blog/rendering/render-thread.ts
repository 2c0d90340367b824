/** The thread that renders: takes `{markdown}`, gives a rendering. Ended by its owner when it takes too long. */
import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './render.ts';

parentPort?.on('message', (markdown: string) => {
  parentPort?.postMessage(renderMarkdown(markdown));
});
