import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { BROWSER } from './visitor.ts';

/** A browser's page, with whatever it complains of: errors, what its policy blocks, requests that fail or go elsewhere. */
export interface WatchedPage {
  page: Page;
  complaints: string[];
  close: () => Promise<void>;
}

/** A page of its own, as of another person, who sees nothing but `url`. */
export async function watchedPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    userAgent: BROWSER,
    baseURL: url,
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      complaints.push(`went to ${request.url()}`);
  });
  return { page, complaints, close: () => context.close() };
}
