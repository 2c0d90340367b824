/** The thread that renders: says that it is ready (null), then takes texts and gives renderings. Its owner may end it. */
import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './render.ts';

parentPort?.on('message', (markdown: string) => {
  parentPort?.postMessage(renderMarkdown(markdown));
});
parentPort?.postMessage(null);
