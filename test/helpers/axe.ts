import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2, levels A and AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules among them that look at colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Which rules a page is held against. */
export type Rules = 'all' | 'of colours';

/** What of a page, as it is now, keeps people from using it: one line for each element. */
export async function violationsOf(page: Page, rules: Rules = 'all'): Promise<string[]> {
  // Where it did not come with the page. Not by a script element: the policy of the page would refuse it.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  const runOnly = rules === 'all' ? { type: 'tag', values: WCAG } : { type: 'rule', values: OF_COLOURS };
  // The whole of what axe tells is megabytes: only what is wrong is worth its way out of the page.
  return page.evaluate<string[]>(`axe
    .run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) =>
      id + ': ' + html.slice(0, 200) + ' (' + failureSummary.replaceAll(/\\s+/g, ' ') + ')')))`);
}

export type ColourScheme = 'light' | 'dark';

const isDark = (page: Page): Promise<boolean> => page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
const ground = (page: Page): Promise<string> =>
  page.evaluate('[document.documentElement, document.body].map((e) => getComputedStyle(e).backgroundColor).join()');

/** When the page has been painted since, and whatever changes gradually has changed. */
const still = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => Promise.all(
    document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished.catch(() => undefined))))`);

/**
 * Calls `look` with the page as it is, and once more in the other colour scheme: nothing but its colours is another then, so the
 * rules about the rest need no second look. Fails when the page does not follow. Leaves it as it was.
 */
export async function inBothSchemes(
  page: Page,
  look: (scheme: ColourScheme, rules: Rules) => Promise<void>,
): Promise<void> {
  const [now, other] = (await isDark(page)) ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  await still(page);
  await look(now, 'all');
  const before = await ground(page);
  await page.emulateMedia({ colorScheme: other });
  await still(page);
  assert.notEqual(await ground(page), before, `${page.url()} does not follow its reader into the ${other} scheme`);
  await look(other, 'of colours');
  await page.emulateMedia({ colorScheme: now });
}
