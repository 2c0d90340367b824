/** Elements that a text may be made of. Nothing that runs, loads or frames, no forms, styles, SVG or MathML. */
export const SHOWN_ELEMENTS: readonly string[] = `
  h1 h2 h3 h4 h5 h6 p br hr blockquote pre code ul ol li dl dt dd a img figure figcaption details summary section div
  span table thead tbody tfoot tr th td caption em strong b i u s del ins sub sup kbd samp var mark small abbr cite q
  dfn time bdi bdo ruby rt rp wbr input`
  .trim()
  .split(/\s+/);

/** Left out with what is in them; of other elements that are not shown the content stays. */
export const LEFT_OUT_WITH_CONTENT: readonly string[] =
  'script style textarea option select noscript template title math svg iframe object xmp plaintext noembed noframes'.split(
    ' ',
  );
