import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Brought, dropsOtherFiles, pastesFiles, textOf } from './dropped.ts';

const brought = (files: Brought['files'], texts: Readonly<Record<string, string>> = {}): Brought => ({
  files,
  getData: (type) => texts[type] ?? '',
});
const PICTURE = { name: 'a.png', type: 'image/png' };
const MARKDOWN = { name: 'a.md', type: '' };
const PLAIN = { name: 'notes', type: 'text/plain' };

test('files that are texts are dropped into the text, others are refused, also beside texts', () => {
  assert.equal(dropsOtherFiles(brought([MARKDOWN])), false);
  assert.equal(dropsOtherFiles(brought([PLAIN, MARKDOWN])), false);
  assert.equal(dropsOtherFiles(brought([PICTURE])), true);
  assert.equal(dropsOtherFiles(brought([PLAIN, PICTURE])), true);
  assert.equal(dropsOtherFiles(brought([{ name: 'a.md', type: 'application/zip' }])), true);
  assert.equal(dropsOtherFiles(brought([{ name: 'a.rtf', type: 'text/rtf' }])), true);
  assert.equal(dropsOtherFiles(brought([], { 'text/plain': 'a' })), false);
  assert.equal(dropsOtherFiles(null), false);
});

test('a picture that is dragged out of a page is one, though HTML comes with it', () => {
  assert.equal(dropsOtherFiles(brought([PICTURE], { 'text/html': '<img src="a.png">' })), true);
});

test('a paste is of files only where no text comes with them, as of word processors', () => {
  assert.equal(pastesFiles(brought([PICTURE])), true);
  assert.equal(pastesFiles(brought([PICTURE], { 'text/html': '<p>a</p>' })), false);
  assert.equal(pastesFiles(brought([PICTURE], { 'text/plain': 'a' })), false);
  assert.equal(pastesFiles(brought([])), false);
  assert.equal(pastesFiles(null), false);
});

test('a file is a text where its encoding is sure, and none where letters would be lost', () => {
  const bytes = (...parts: (string | number)[]) =>
    Uint8Array.from(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part])))),
    );
  const wide = Uint8Array.from(Buffer.from('Größe €', 'utf16le'));
  const swapped = Uint8Array.from(Buffer.from('Größe €', 'utf16le').swap16());
  assert.equal(textOf(bytes('Größe €\n')), 'Größe €\n');
  assert.equal(textOf(bytes(0xef, 0xbb, 0xbf, 'Größe')), 'Größe', 'without the mark');
  assert.equal(textOf(Uint8Array.of(0xff, 0xfe, ...wide)), 'Größe €');
  assert.equal(textOf(Uint8Array.of(0xfe, 0xff, ...swapped)), 'Größe €');
  assert.equal(textOf(bytes('')), '');
  assert.equal(textOf(bytes('Gr', 0xf6, 0xdf, 'e')), null, 'Latin-1');
  assert.equal(textOf(wide), null, 'UTF-16 without a mark');
  assert.equal(textOf(Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)), null, 'UTF-32');
  assert.equal(textOf(Uint8Array.of(0xff, 0xfe, 0x00, 0xd8)), null, 'half a character');
});
