import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderMarkdown } from '../src/modules/blog/rendering/render.ts';
import { htmlToMarkdown } from '../src/cli/transfer/formats/html-to-markdown.ts';

/** The texts of the cells that the service shows in one table, row by row; null where it shows no table. */
function shown(html: string): string[][] | null {
  const [table] = /<table>[\s\S]*<\/table>/.exec(renderMarkdown(htmlToMarkdown(html).markdown).html) ?? [];
  if (table === undefined) return null;
  return Array.from(table.matchAll(/<tr>([\s\S]*?)<\/tr>/g), ([, row = '']) =>
    Array.from(row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g), ([, text = '']) => text),
  );
}

describe('a table is one, with all of its cells', () => {
  const rows = '<tr><td>1</td><td>2</td></tr>';
  const cases: [html: string, cells: string[][] | null, isHtml?: true][] = [
    [`<thead><tr><th colspan="2">H</th></tr></thead><tbody>${rows}</tbody>`, [['H'], ['1', '2']], true],
    [`<thead><tr><th>H</th></tr></thead><tbody>${rows}</tbody>`, [['H'], ['1', '2']], true],
    [`<tr><th>H</th></tr>${rows}`, [['H'], ['1', '2']], true],
    [
      `<thead><tr><th>H</th><th>I</th></tr><tr><th>J</th><th>K</th></tr></thead>${rows}`,
      [
        ['H', 'I'],
        ['J', 'K'],
        ['1', '2'],
      ],
      true,
    ],
    [
      `<tr><td colspan="2">a</td><td>b</td></tr>${rows}`,
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      true,
    ],
    [
      `<thead><tr><th>H</th><th>I</th></tr></thead><tr><td colspan="2">a</td></tr><tr><td>b</td></tr>`,
      [
        ['H', 'I'],
        ['a', ''],
        ['b', ''],
      ],
    ],
    [
      `<thead><tr></tr></thead><tbody><tr><th>H</th><th>I</th></tr>${rows}</tbody>`,
      [
        ['H', 'I'],
        ['1', '2'],
      ],
    ],
    [
      `<caption>C</caption><tr><th>H</th><th>I</th></tr>${rows}`,
      [
        ['', ''],
        ['H', 'I'],
        ['1', '2'],
      ],
    ],
    [
      `<tr><th>H</th></tr><tr><td><table>${rows}</table></td></tr>`,
      [
        ['', ''],
        ['1', '2'],
      ],
    ],
    ['<tr><td colspan="2">a</td></tr>', null],
  ];
  for (const [html, cells, isHtml = false] of cases) {
    test(html, () => {
      const table = `<p>a</p><table>${html}</table><p>b</p>`;
      assert.deepEqual(shown(table), cells);
      assert.equal(htmlToMarkdown(table).markdown.includes('<table>'), isHtml);
    });
  }
});
