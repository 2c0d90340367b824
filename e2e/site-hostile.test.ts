import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { siteFixture } from '../test/helpers/site.ts';
import { readSitemap } from '../test/helpers/sitemap-rules.ts';
import { watchedPage } from '../test/helpers/watched-page.ts';

const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

const RUN = 'window.hostile=1;alert(1)';
/** Texts that run where something is not escaped. Short enough for a category of 60 and a tag of 40 characters. */
const SHORT = [
  `<script>hostile=1</script>`,
  `"><img src=x onerror=hostile=1>`,
  `' onfocus=hostile=1 autofocus x='`,
  `]]><script>hostile=1</script>`,
  `</title><svg onload=hostile=1>`,
  `\u202Eevil\u2066 😀 &lt;b&gt;`,
  `--><script>hostile=1</script>`,
  'javascript:hostile=1',
];
const LONG = `<script>${RUN}</script></script><script>${RUN}</script><!--<script>]]><img src=x onerror="${RUN}">
<svg/onload=${RUN}><a href="javascript:${RUN}">a</a><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>
</textarea></style><math><mi//xlink:href="data:x,<script>${RUN}</script>">\u202E\u2067 😀 {{7*7}} \${${RUN}} \u0007`;
const BODY = `${LONG}

[a](javascript:hostile=1) [b](  JaVaScRiPt:hostile=1) [c](data:text/html,<script>hostile=1</script>) ![d](javascript:hostile=1)

## Heading <img src=x onerror=${RUN}> "quoted" {#x onclick=hostile=1}

## Second </h2><script>${RUN}</script>

## Third \`<script>${RUN}</script>\`

\`\`\`"><script>${RUN}</script>
</code></pre><script>${RUN}</script>
\`\`\`

<form action="https://evil.example"><input name=password><button>x</button></form>
<style>body{display:none}</style><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=javascript:${RUN}">
<a href="#x" onclick="${RUN}" style="position:fixed;inset:0" id="said">y</a>`;

/** What would run, or lead to what runs, in the document of a page. */
const findings = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const found = window.hostile === undefined ? [] : ['a script ran'];
    for (const script of document.scripts)
      if (script.type !== 'application/ld+json' && !script.src.startsWith(location.origin + '/blog/-/')) found.push('script: ' + script.outerHTML.slice(0, 100));
    for (const element of document.querySelectorAll('*')) {
      if (/^(iframe|object|embed|base|style|math|foreignObject)$/i.test(element.localName)) found.push('element: ' + element.localName);
      for (const { name, value } of element.attributes) {
        if (/^on|^style$|^srcdoc$/.test(name)) found.push('attribute: ' + name + '=' + value);
        if (/^(href|src|action|formaction)$/.test(name) && /^[\\s\\u0000-\\u001f]*(javascript|data|vbscript):/i.test(value)) found.push('address: ' + value.slice(0, 100));
      }
    }
    for (const form of document.forms) if (!form.action.startsWith(location.origin)) found.push('form: ' + form.action);
    for (const data of document.querySelectorAll('script[type="application/ld+json"]')) JSON.parse(data.textContent);
    return found;
  })()`);

test(
  'whatever writers and readers type: nothing of it runs, in any page, feed or sitemap, even without a content policy',
  options,
  async () => {
    const site = await siteFixture({
      env: { SITE_TITLE: '</title><script>hostile=1</script>', SITE_DESCRIPTION: '"><script>hostile=1</script>' },
    });
    const slugs: string[] = [];
    for (const [i, text] of SHORT.entries()) {
      const fields = {
        title: `${text} ${LONG}`.slice(0, 190),
        category: text,
        tags: [`${i}${text}`.slice(0, 40)],
        excerpt: LONG.slice(0, 490),
        coverImageAlt: text,
        coverImageUrl: `https://images.example/"><script>hostile=1</script>`.replaceAll(/["<>]/g, encodeURIComponent),
        featured: i === 0,
        body: BODY,
      };
      slugs.push((await site.publish({ ...fields, slug: `hostile-${i}` })).slug);
    }
    const [slug] = slugs as [string];
    await site.change((await site.publish({ title: 'Seo' })).id, {
      seoTitle: LONG.slice(0, 190),
      seoDescription: LONG.slice(0, 490),
    });
    const reader = await site.reader('"><script>hostile=1</script>');
    for (const text of [...SHORT, LONG]) await reader.send(`/blog/${slug}/comments`, { body: text });
    await site.service.client(site.editor.token).createComment({ slug, body: { body: '\u202E' + LONG } });

    const browser = await openBrowser();
    const { page, complaints } = await watchedPage(browser, site.service.url, { bypassCSP: true });
    await page.route(/^https:\/\/images\.example\//, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    const paths = [
      '/blog',
      ...slugs.map((one) => `/blog/${one}`),
      '/blog/seo',
      `/blog/${slug}?notice=__proto__&comments=x`,
      ...SHORT.map((text) => `/blog?q=${encodeURIComponent(text)}`),
      ...SHORT.map((text) => `/blog/category/${encodeURIComponent(text)}`),
      ...SHORT.map((text, i) => `/blog/tag/${encodeURIComponent(`${i}${text}`.slice(0, 40))}`),
      ...SHORT.map((text) => `/blog/-/sign-in?next=${encodeURIComponent(text)}`),
      '/blog/-/archive',
      `/blog/${encodeURIComponent(LONG)}`,
    ];
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      found.push(...(await findings(page)).map((finding) => `${path}: ${finding}`));
    }
    await page.goto('/blog/-/sign-up');
    await page.getByLabel('Name').fill(LONG.slice(0, 90));
    await page.getByLabel('E-mail address').fill('x@example.com');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign up' }).click();
    found.push(...(await findings(page)));

    for (const feed of ['feed.xml', 'atom.xml', `category/${encodeURIComponent(SHORT[3] as string)}/feed.xml`]) {
      found.push(
        ...(await page.evaluate<string[]>(
          // The HTML of each item as a reader of feeds would show it, in a document that runs nothing by itself.
          `(async (path) => {
          const text = await (await fetch(path)).text();
          const feed = new DOMParser().parseFromString(text, 'application/xml');
          const found = feed.querySelector('parsererror') ? [path + ': ' + feed.querySelector('parsererror').textContent] : [];
          const items = [...feed.getElementsByTagName('*')].filter((e) => /^(content|encoded)$/.test(e.localName));
          if (items.length === 0) found.push(path + ': no items');
          for (const item of items) {
            const html = new DOMParser().parseFromString(item.textContent, 'text/html');
            for (const e of html.querySelectorAll('*')) {
              if (/^(script|iframe|object|embed|base|style|form)$/.test(e.localName)) found.push(path + ': ' + e.localName);
              for (const { name, value } of e.attributes) if (/^on|^style$/.test(name) || /^\\s*javascript:/i.test(value)) found.push(path + ': ' + name + '=' + value);
            }
          }
          if ([...feed.getElementsByTagName('*')].some((e) => e.localName === 'script')) found.push(path + ': script');
          return found;
        })(${JSON.stringify(`/blog/${feed}`)})`,
        )),
      );
    }
    const visitor = site.visitor();
    for (const file of ['sitemap.xml', 'sitemap-lists.xml', 'sitemap-1.xml'])
      found.push(...readSitemap((await visitor.get(`/blog/${file}`)).text).faults);
    const json = JSON.parse((await visitor.get('/blog/feed.json')).text) as { items: { content_html: string }[] };
    assert.ok(json.items.length > 8);
    for (const { content_html: html } of json.items)
      assert.doesNotMatch(html, /<script|<iframe|<form|<[^>]*\son\w+=|href="\s*javascript:/i);

    assert.deepEqual(found, []);
    assert.deepEqual(
      complaints.filter((c) => !c.startsWith('went to https://images.example/') && !/status of (404|422)/.test(c)),
      [],
    );
  },
);
