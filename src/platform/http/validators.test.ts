import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { validatorCompiler } from './validators.ts';

/** What is counted: the values that are checked are of this class, so that none of them hides among other objects. */
// oxlint-disable-next-line typescript/no-extraneous-class -- objects are looked for by their class
class Given {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

/** How many of them are still held by anything. */
const held = (): number => queryObjects(Given, { format: 'count' });

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    either: { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }] },
  },
  required: ['name'],
  additionalProperties: false,
};

/** Values that are refused in all ways that a finding can hold one, and one that fits. */
const refused = (): Given[] => [
  new Given({}),
  new Given({ name: 'x' }),
  new Given({ name: new Given({}) }),
  new Given({ name: 'xy', more: new Given({}) }),
  new Given({ name: 'xy', either: new Given({ a: new Given({}) }) }),
];
const fitting = (): Given => new Given({ name: 'xy', either: new Given({ a: 'b' }) });

for (const httpPart of ['body', 'querystring'] as const) {
  const check = validatorCompiler({ schema, httpPart });

  test(`nothing of a ${httpPart} is held after it was refused, or taken`, () => {
    for (let at = 0; at < refused().length; at++) {
      assert.notEqual(check(refused()[at]), true);
      assert.equal(held(), 0, `${at}, refused`);
    }
    assert.equal(check(fitting()), true);
    assert.equal(held(), 0, 'taken');
  });
}

test('what is told of a value has nothing of it', () => {
  const check = validatorCompiler({
    schema: {
      type: 'object',
      properties: { password: { type: 'string', pattern: '^(?=[^]*\\S)[^\\ud800-\\udfff]*$' } },
    },
    httpPart: 'body',
  });
  const told = check({ password: 'hunter2 \ud800' });
  assert.match(JSON.stringify(told), /must not hold half a surrogate pair/);
  assert.doesNotMatch(JSON.stringify(told), /hunter2/);
});

test('a body of too many values, which is checked up to its first fault, is not held either', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const check = validatorCompiler({ schema: list, httpPart: 'body' });
  const refuse = (): unknown => check([new Given({}), ...Array.from({ length: 10_001 }, () => '')]);
  assert.notEqual(refuse(), true);
  assert.equal(held(), 0);
});

test('of many values the one that was meant is told, and all where none is near', () => {
  const names = [
    'checkout.started',
    'checkout.failed',
    'trade.created',
    ...Array.from({ length: 9 }, (_, i) => `e${i}`),
  ];
  const saidOf = (allowed: readonly string[], event: unknown): string[] => {
    const check = validatorCompiler({
      schema: { type: 'object', properties: { event: { enum: [...allowed] } } },
      httpPart: 'body',
    });
    const found = check({ event });
    return found === true ? [] : found.error.map(({ message }) => message ?? '');
  };
  assert.deepEqual(saidOf(names, 'checkout.start'), ['is not known: did you mean checkout.started?']);
  assert.deepEqual(saidOf([...names, 'HTTP_5XX'], 'HTTP_5X'), ['is not known: did you mean HTTP_5XX?']);
  const all = `must be one of ${names.join(', ')}`;
  for (const given of ['something else', 'x'.repeat(1_000_000), 7]) assert.deepEqual(saidOf(names, given), [all]);
  assert.deepEqual(saidOf(names.slice(0, 2), 'checkout.start'), ['must be one of checkout.started, checkout.failed']);
});
