import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EVENTS } from './catalogue.ts';
import { eventsDoc } from './doc.ts';

test('docs/events.md is what the catalogue makes of it (node scripts/events-doc.ts)', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  assert.ok(page === eventsDoc(), 'docs/events.md is out of date: run node scripts/events-doc.ts');
});

test('the page has a section with fields and example for every event', () => {
  const sections = eventsDoc().split('\n## ').slice(1);
  assert.deepEqual(
    sections.map((s) => s.split('\n')[0]),
    Object.keys(EVENTS),
  );
  for (const section of sections) {
    assert.match(section, /\| `\w+` \|/);
    assert.match(section, /```json\n\{\n {2}"event": /);
  }
});

test('no cell of a table is broken by its content', () => {
  for (const line of eventsDoc()
    .split('\n')
    .filter((l) => l.startsWith('| '))) {
    assert.ok([6, 7].includes(line.split('|').length), line);
  }
});
