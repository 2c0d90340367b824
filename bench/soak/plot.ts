/** One thing that was watched: a value for each sample, with its unit. */
export interface Series {
  title: string;
  unit: string;
  values: readonly number[];
}

const WIDTH = 420;
const HEIGHT = 130;
const COLUMNS = 2;
const LEFT = 58;
const TOP = 30;
const BOTTOM = 22;

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Math.round(value * 100) / 100);

/** One small picture: from zero, so that what looks flat is flat. */
function panel({ title, unit, values }: Series, index: number, minutes: number): string {
  const [x, y] = [(index % COLUMNS) * WIDTH, Math.floor(index / COLUMNS) * HEIGHT];
  const most = Math.max(1e-9, ...values);
  const [width, height] = [WIDTH - LEFT - 20, HEIGHT - TOP - BOTTOM];
  const points = values
    .map((value, i) => {
      const at = LEFT + (i / Math.max(1, values.length - 1)) * width;
      return `${at.toFixed(1)},${(TOP + height - (value / most) * height).toFixed(1)}`;
    })
    .join(' ');
  return `<g transform="translate(${x} ${y})">
<text x="${LEFT}" y="18" class="title">${title}, ${unit}</text>
<line x1="${LEFT}" y1="${TOP + height}" x2="${LEFT + width}" y2="${TOP + height}" class="axis"/>
<text x="${LEFT - 6}" y="${TOP + 8}" text-anchor="end">${shown(most)}</text>
<text x="${LEFT - 6}" y="${TOP + height}" text-anchor="end">0</text>
<text x="${LEFT + width}" y="${TOP + height + 16}" text-anchor="end">${Math.round(minutes)} min</text>
<polyline points="${points}" class="line"/>
</g>`;
}

/** All of it as one SVG, readable on a light and on a dark page. */
export function plot(series: readonly Series[], minutes: number): string {
  const height = Math.ceil(series.length / COLUMNS) * HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${COLUMNS * WIDTH}" height="${height}" viewBox="0 0 ${COLUMNS * WIDTH} ${height}" role="img" aria-label="What a service used over ${Math.round(minutes)} minutes of half load">
<style>text{font:12px sans-serif;fill:#57606a}.title{font-weight:600}.axis{stroke:#8c959f}.line{fill:none;stroke:#2f6feb;stroke-width:1.5}rect{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#9da7b1}.line{stroke:#6ea8fe}rect{fill:#0d1117}}</style>
<rect width="100%" height="100%"/>
${series.map((s, i) => panel(s, i, minutes)).join('\n')}
</svg>
`;
}
