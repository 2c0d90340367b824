import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validatorCompiler } from '../../../platform/http/validators.ts';
import { Fit } from './fit.ts';

/** Whether the service takes it. */
const fits = validatorCompiler({
  schema: { type: 'string', format: 'uri' },
  httpPart: 'body',
});
const takes = (url: string): boolean => fits(url) === true;

describe('the address of an image', () => {
  const kept: [written: string, address: string][] = [
    ['https://x.example/a.png', 'https://x.example/a.png'],
    ['HTTPS://X.example/a b.png', 'https://x.example/a%20b.png'],
    ['https://x.example/i?x[]=1&y={1}|2', 'https://x.example/i?x%5B%5D=1&y=%7B1%7D%7C2'],
    ['https://x.example/100%.png?50%&%41', 'https://x.example/100%25.png?50%25&%41'],
    ['https://x.example/[a]\\b^`c"#d{e', 'https://x.example/%5Ba%5D/b%5E%60c%22#d%7Be'],
    ['https://x.example/é#ü', 'https://x.example/%C3%A9#%C3%BC'],
    ['http://[2001:db8::1]:8080/a[1]', 'http://[2001:db8::1]:8080/a%5B1%5D'],
    ['https://user:pa%ss@x.example/', 'https://user:pa%25ss@x.example/'],
  ];
  for (const [written, address] of kept) {
    test(written, () => {
      const fit = new Fit();
      assert.deepEqual([fit.image(written, undefined), fit.notes], [{ coverImageUrl: address }, []]);
      assert.ok(takes(address));
    });
  }

  test('is left out with a note when it cannot be one', () => {
    for (const written of ['/a.png', 'ftp://x.example/a', 'https://', `https://x.example/${'['.repeat(700)}`]) {
      const fit = new Fit();
      assert.deepEqual(fit.image(written, 'Alt'), {});
      assert.match(fit.notes.join(), /^image left out: /);
    }
  });
});
