import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noComponents, share, shareTitled } from './openapi-components.ts';

test('a titled schema is told once, wherever it stands, and may hold others', () => {
  const components = noComponents();
  const name = { title: 'Name', type: 'string' };
  const thing = { title: 'Thing', type: 'object', properties: { name } };
  const list = { type: 'array', items: thing };
  assert.deepEqual(shareTitled(components, { anyOf: [list, thing, { type: 'null' }] }), {
    anyOf: [
      { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
      { $ref: '#/components/schemas/Thing' },
      { type: 'null' },
    ],
  });
  assert.deepEqual(components.schemas, {
    Name: name,
    Thing: { ...thing, properties: { name: { $ref: '#/components/schemas/Name' } } },
  });
});

test('a property, or data, that is called title names nothing', () => {
  const components = noComponents();
  const schema = {
    type: 'object',
    properties: { title: { type: 'string' } },
    examples: [{ title: 'A title' }],
    default: { title: 'Another' },
  };
  assert.deepEqual(shareTitled(components, schema), schema);
  assert.deepEqual(components.schemas, {});
});

test('two different things of one name are refused', () => {
  const components = noComponents();
  shareTitled(components, { title: 'Thing', type: 'object' });
  assert.throws(
    () => shareTitled(components, { title: 'Thing', type: 'string' }),
    /two different schemas are named Thing/,
  );
  assert.deepEqual(share(components, 'headers', 'Thing', {}), { $ref: '#/components/headers/Thing' });
});
