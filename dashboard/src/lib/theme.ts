import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The nonce of this page (see index.html): style elements without it are refused by the policy. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The list itself scrolls, and no frame around it: that frame would be one that no key reaches (WCAG 2.1.1). */
const LIST = {
  defaultProps: { withScrollArea: false, styles: { options: { maxHeight: 220, overflowY: 'auto' as const } } },
};

export const theme = createTheme({
  primaryColor: 'indigo',
  // White text on a shade below 8 falls short of 4.5:1 (WCAG 1.4.3) in several colours.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Autocomplete: LIST,
    Select: LIST,
    TagsInput: LIST,
    // Its element for the first focus is none that a menu may have (ARIA: menu owns menu items).
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Its own grey falls short of 4.5:1.
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    // A click that misses a dialog forgets nothing that was typed in it: its buttons and Escape close it (see ui/form-modal.tsx).
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, closeOnClickOutside: false } },
  },
});

/**
 * Text on a tint of its own colour, in every colour that is used and also on the stronger tint of what is pointed at:
 * Mantine's own shades fall short of 4.5:1 (WCAG 1.4.3).
 */
export const TINTED = ['indigo', 'gray', 'green', 'teal', 'yellow', 'orange', 'red', 'blue', 'grape'] as const;

const shades = (colors: Record<string, MantineColorsTuple>, shade: 2 | 9): Record<string, string> =>
  Object.fromEntries(TINTED.map((c) => [`--mantine-color-${c}-light-color`, colors[c]?.[shade] ?? 'inherit']));

/** Greys and reds of texts that are dark, or light, enough to be read (WCAG 1.4.3). */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...shades(colors, 9),
    '--mantine-color-red-light-color': '#b02020',
    '--mantine-color-blue-light-color': '#1757a6',
    '--mantine-color-indigo-light-color': '#3048b8',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-orange-light-color': '#8f3500',
    '--mantine-color-green-light-color': '#1c6b2a',
    '--mantine-color-teal-light-color': '#05674a',
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.indigo[8],
  },
  dark: {
    ...shades(colors, 2),
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': colors.indigo[3],
  },
});
