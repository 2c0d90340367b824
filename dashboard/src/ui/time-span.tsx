import type { SpanSearch } from '../lib/search.ts';
import { Moment } from './moment.tsx';

interface TimeSpanProps {
  value: SpanSearch;
  onChange: (change: SpanSearch) => void;
}

/** Filters: from a time on, and until one, of which either may be left open. */
export const TimeSpan = ({ value: { since, until }, onChange }: TimeSpanProps) => (
  <>
    <Moment label="From" value={since} onChange={(next) => onChange({ since: next })} />
    <Moment label="Until" value={until} onChange={(next) => onChange({ until: next })} />
  </>
);
