import { VisuallyHidden } from '@mantine/core';
import { shortText } from '../lib/time.ts';
import classes from './bucket-chart.module.css';

/** One colour of each column, from the bottom. */
export interface Series {
  /** "delivered". */
  name: string;
  color: 'good' | 'bad' | 'waiting' | 'other';
}

export interface Bucket {
  /** Start of the span. */
  start: string;
  /** One number for each series. */
  values: readonly number[];
}

interface BucketChartProps {
  /** For screen readers, which get a table. */
  label: string;
  series: readonly Series[];
  buckets: readonly Bucket[];
  /** How a number reads. */
  format: (value: number) => string;
}

const [WIDTH, HEIGHT] = [720, 150] as const;

const sum = (values: readonly number[]): number => values.reduce((total, n) => total + n, 0);

/** Columns over time, stacked. Drawn without a library: it is a few rectangles. */
export function BucketChart({ label, series, buckets, format }: BucketChartProps) {
  const most = Math.max(1, ...buckets.map(({ values }) => sum(values)));
  const step = WIDTH / Math.max(1, buckets.length);
  return (
    <figure className={classes.chart}>
      <div className={classes.legend} aria-hidden>
        {series.map(({ name, color }) => (
          <span key={name}>
            <i className={classes[color]} /> {name}
          </span>
        ))}
        <span className={classes.most}>at most {format(most)}</span>
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden className={classes.plot}>
        {buckets.map((bucket, i) => (
          <Column
            key={bucket.start}
            bucket={bucket}
            series={series}
            at={i * step}
            width={step}
            most={most}
            format={format}
          />
        ))}
      </svg>
      <div className={classes.ends} aria-hidden>
        <span>{buckets[0] && shortText(new Date(buckets[0].start))}</span>
        <span>now</span>
      </div>
      <ChartTable label={label} series={series} buckets={buckets} format={format} />
    </figure>
  );
}

interface ColumnProps extends Pick<BucketChartProps, 'series' | 'format'> {
  bucket: Bucket;
  at: number;
  width: number;
  most: number;
}

function Column({ bucket, series, at, width, most, format }: ColumnProps) {
  const told = series.map(({ name }, i) => `${name} ${format(bucket.values[i] ?? 0)}`).join(', ');
  const heights = series.map((_, i) => ((bucket.values[i] ?? 0) / most) * HEIGHT);
  return (
    <g>
      <title>{`${shortText(new Date(bucket.start))}: ${told}`}</title>
      <rect className={classes.target} x={at} y={0} width={width} height={HEIGHT} />
      {series.map(({ name, color }, i) => (
        <rect
          key={name}
          className={classes[color]}
          x={at + width * 0.12}
          y={HEIGHT - sum(heights.slice(0, i + 1))}
          width={width * 0.76}
          height={heights[i]}
        />
      ))}
    </g>
  );
}

/** The same for who does not see. */
function ChartTable({ label, series, buckets, format }: BucketChartProps) {
  return (
    <VisuallyHidden>
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map(({ start, values }) => (
            <tr key={start}>
              <th scope="row">{shortText(new Date(start))}</th>
              {series.map(({ name }, i) => (
                <td key={name}>{format(values[i] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
