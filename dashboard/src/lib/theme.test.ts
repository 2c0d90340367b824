import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { cssVariables, TINTED, theme } from './theme.ts';

type Variables = Record<string, string>;

/** What a variable comes to, through the variables that it is made of. */
function colorOf(name: string, variables: Variables): string {
  const value = variables[name] ?? assert.fail(`there is no ${name}`);
  const other = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  return other === undefined ? value : colorOf(other, variables);
}

/** Red, green and blue, 0 to 255, of #rrggbb and of rgba(…) without transparency. */
function channels(color: string): number[] {
  assert.match(color, /^(#[\da-f]{6}|rgba?\([\d.,\s]+\))$/i);
  const numbers = color.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    : (color.match(/[\d.]+/gu) ?? []).map(Number);
  assert.ok(numbers.length === 3 || numbers[3] === 1, `${color} lets through what is behind it`);
  return numbers.slice(0, 3);
}

/** Relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = channels(color)
    .map((each) => each / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe('colours', () => {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [defaults, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];

  for (const scheme of ['light', 'dark'] as const) {
    test(`text on a tint of its own colour is read, also when it is pointed at: ${scheme}`, () => {
      const variables: Variables = { ...defaults.variables, ...defaults[scheme], ...own[scheme] };
      const short: string[] = [];
      for (const color of TINTED)
        for (const tint of ['light', 'light-hover']) {
          const text = colorOf(`--mantine-color-${color}-light-color`, variables);
          const ratio = contrast(text, colorOf(`--mantine-color-${color}-${tint}`, variables));
          if (!(ratio >= 4.5)) short.push(`${color} on ${tint}: ${ratio.toFixed(2)}`);
        }
      assert.deepEqual(short, []);
    });
  }
});
