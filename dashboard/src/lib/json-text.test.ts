import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentedJson } from './json-text.ts';

test('what was written is indented as it is, numbers and escapes too', () => {
  assert.equal(
    indentedJson(
      '{"id":12345678901234567890,"price":149.90,"e":1E+2, "t":"a\\u0041 \\"{[,:]}\\\\","a":[1,{}, []],"n":null}',
    ),
    `{
  "id": 12345678901234567890,
  "price": 149.90,
  "e": 1E+2,
  "t": "a\\u0041 \\"{[,:]}\\\\",
  "a": [
    1,
    {},
    []
  ],
  "n": null
}`,
  );
});

test('is indented as JSON.stringify does where nothing can be lost', () => {
  const values = [
    {},
    [],
    [[]],
    [{ a: [] }],
    'x',
    -1.5,
    true,
    { a: { b: [1, [2, 3], { c: '\n"' }] }, d: '' },
    ['é', '日'],
  ];
  for (const value of values) {
    const wanted = JSON.stringify(value, null, 2);
    assert.equal(indentedJson(JSON.stringify(value)), wanted);
    assert.equal(indentedJson(`\r\n\t ${JSON.stringify(value, null, 7)} \n`), wanted);
  }
});

test('what is no JSON, or endlessly deep, stays as it is', () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  for (const text of ['', '{"a":', 'Bad gateway', '{"a":1}{', deep]) assert.equal(indentedJson(text), text);
});
