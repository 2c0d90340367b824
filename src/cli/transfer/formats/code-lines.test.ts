import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodeLines } from './code-lines.ts';

/** Lines of code end with `!` in these texts, and no others. */
const TEXTS: readonly string[] = [
  'a\n    b\n\n    c!\n\nd',
  '```!\na!\n```!\nb',
  '[^1]: a\n\n    b\n\n        c!\n\n    ```!\n    d!\n    ```!\n\n    e\n\nf\n\n    g!',
  'a\n[^a-b]: c\n    d\n\n    e\n- f\n\n      g!',
  '    [^1]: a!\n\n    b!',
  '- [^1]: a\n\n      b\n\n          c!',
  '```!\na!\n``` js!\nb!\n``` !\nc',
  '~~~!\n~~~~ !\na',
  '~~~~!\n~~~!\na!\n~~~~~!\nb',
  '````!\n```!\na!\n````!\nb',
  '- a\n  ```!\n  b!\n!\n  c!\nd\n\n    e!',
  '- ```js!\n  a!\n  ```!\n  b\n- c',
  '1. a\n\n   ```!\n   b!\n2. c\n   ```!\n   d!\n   ```!\n   e',
  '- a\n```!\nb!\n  c!\n```!\nd',
  '> a\n> ```!\n> b!\n> ```!\n> c\n\n    d!',
  '> ```!\n> a!\n\nb',
  '> ```!\n    a!\n-\n      b!\n- ```!\nc\n\n    d!',
  '> > ```!\n> > a!\n> b',
  '> a\n    b',
  '>     a!\n>\n> - b\n>\n>       c!\n>   d',
  '- a\n\n  > ```!\n  > b!\n\n  c',
];

for (const text of TEXTS) {
  test(JSON.stringify(text), () => {
    const code = new CodeLines();
    const found = text.split('\n').map((line) => code.has(line.replace(/!$/, '')));
    assert.deepEqual(
      found,
      text.split('\n').map((line) => line.endsWith('!')),
    );
  });
}

test('code is found in time that grows with the text', () => {
  for (const hostile of ['> ', '>', '>\n', '> - ', '[^1]: ', '[^1]: a\n', '[^', '```\n', '- ```\n', '  > ```\n', '~']) {
    const startedAt = process.cpuUsage();
    const code = new CodeLines();
    for (const line of hostile.repeat(900_000 / hostile.length).split('\n')) code.has(line);
    assert.ok(process.cpuUsage(startedAt).user < 12_000_000, hostile);
  }
});
