import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 AA and what it includes. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Found {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** What of a page keeps people from using it: one line for each element. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Found>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} (${failureSummary.replaceAll(/\s+/g, ' ')})`,
    ),
  );
}
