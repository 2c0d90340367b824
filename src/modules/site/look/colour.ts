/** Colours as sRGB, 0..255 each. */
type Rgb = readonly [number, number, number];

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;

const hexOf = (rgb: Rgb): string => `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((c) => (c <= 10.31475 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(rgbOf(one)), luminance(rgbOf(other))].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const mix = (rgb: Rgb, to: Rgb, share: number): Rgb =>
  rgb.map((c, i) => c + ((to[i] as number) - c) * share) as unknown as Rgb;

const STEPS = 50;

/**
 * The colour, made darker or lighter as far as it takes to have this contrast on every one of the grounds, which are all
 * light or all dark.
 */
export function readable(colour: string, grounds: readonly string[], least: number): string {
  const isOnDark = luminance(rgbOf(grounds[0] as string)) < 0.18;
  const end: Rgb = isOnDark ? [255, 255, 255] : [0, 0, 0];
  for (let step = 0; step <= STEPS; step++) {
    const candidate = hexOf(mix(rgbOf(colour), end, step / STEPS));
    if (grounds.every((ground) => contrast(candidate, ground) >= least)) return candidate;
  }
  return hexOf(end);
}

/** Black or white, whichever is easier to read on the colour; one of the two has a contrast of 4.58 at least. */
export const textOn = (colour: string): string =>
  contrast('#ffffff', colour) >= contrast('#000000', colour) ? '#ffffff' : '#000000';
