import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { monotonicNow } from '../../../lib/clock.ts';
import { Renderer } from './renderer.ts';

/**
 * Longest time for which the event loop did nothing else while `fn` ran, and no more than the CPU that this thread used meanwhile: where other processes
 * have the cores, nobody is blocked by it. Milliseconds.
 */
async function blockedBy(fn: () => Promise<unknown>): Promise<number> {
  const cpu = process.threadCpuUsage();
  let longest = 0;
  let last = monotonicNow();
  const timer = setInterval(() => {
    longest = Math.max(longest, monotonicNow() - last);
    last = monotonicNow();
  }, 10);
  await fn();
  clearInterval(timer);
  const { user, system } = process.threadCpuUsage(cpu);
  return Math.min(Math.max(longest, monotonicNow() - last), (user + system) / 1000);
}

const MILLION = 1_000_000;
const full = (piece: string): string => piece.repeat(Math.ceil(MILLION / piece.length)).slice(0, MILLION);
const HOSTILE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      '[',
      '*',
      '>',
      '`',
      '_',
      '- ',
      '> ',
      '* a\n',
      '**a ',
      '[a](',
      '![',
      '[[]]',
      '<',
      '<b>',
      '<!--',
      '&',
      '|a\n|-\n',
      '# a\n',
      '[^1]',
      '[a]: b\n',
      '<div>\n',
      '<table>',
      'https://',
      '> - ',
      '\\',
      '~~',
    ].map((s) => [JSON.stringify(s), full(s)]),
  ),
  'nested lists': Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}- a`).join('\n'),
  'nested quotes': `${'> '.repeat(400_000)}a`,
  'runs of backticks': Array.from({ length: 1400 }, (_, i) => '`'.repeat(i)).join(' '),
  'a wide table': `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n${'|a\n'.repeat(10_000)}`,
  footnotes: `[^1]: x\n\n${'[^1] '.repeat(150_000)}`,
};

describe('a million characters', () => {
  // Most are rendered in this time; what takes longer takes it whole.
  const renderer = new Renderer(1000);
  for (const [name, markdown] of Object.entries(HOSTILE)) {
    test(`of ${name} are rendered or shown plain, and block nothing`, async (t) => {
      const start = monotonicNow();
      const blocked = await blockedBy(async () => {
        const { html } = await renderer.render(markdown);
        assert.ok(html.length <= 6_000_000);
      });
      t.diagnostic(`${name}: ${(monotonicNow() - start).toFixed(0)} ms, event loop blocked ${blocked.toFixed(0)} ms`);
      assert.ok(blocked < 1000, `the event loop was blocked for ${blocked} ms`);
    });
  }
});

describe('the renderer', () => {
  test('gives up on a text in time, and goes on with the next', async () => {
    const renderer = new Renderer(1);
    const slow = renderer.render(full('**a '));
    const next = renderer.render(`${full('* a\n')}x`);
    assert.match((await slow).html, /^<p>\*\*a /);
    assert.match((await next).html, /^<p>\* a/);
  });

  test('counts the time of a text from when its thread is ready, and says when it gave up', async () => {
    const thread = (before: string, after: string) =>
      new URL(
        `data:text/javascript,import { parentPort } from 'node:worker_threads';${before};
        parentPort.on('message', () => {${after}; parentPort.postMessage({ html: 'done', toc: [] })});
        parentPort.postMessage(null);`.replaceAll('\n', ' '),
      );
    const wait = (ms: number) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`;
    assert.deepEqual(await new Renderer(1000, thread(wait(1500), '')).render('a'), { html: 'done', toc: [] });
    const gaveUp = { html: '<p>a</p>\n', toc: [], gaveUp: true };
    assert.deepEqual(await new Renderer(50, thread('', wait(60_000))).render('a'), gaveUp);
    assert.deepEqual(await new Renderer(50, thread('', 'process.exit()')).render('a'), gaveUp);
  });

  test('uses its thread again, in order', async () => {
    const renderer = new Renderer();
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => renderer.render(`# ${i}`)));
    assert.deepEqual(
      all.map(({ toc }) => toc[0]?.text),
      Array.from({ length: 20 }, (_, i) => String(i)),
    );
  });

  test('renders a text that is asked for twice at once only once', async () => {
    const renderer = new Renderer();
    assert.equal(renderer.render('`a`'), renderer.render('`a`'));
    assert.notEqual(await renderer.render('`a`'), await renderer.render('`a`'));
  });
});
