import type { TradeDetail } from '@posthorn/client';

/** While something may change. Milliseconds. */
const RENEW_MS = 5000;
/** What the end has caused is not all recorded with it. Milliseconds. */
const AFTER_END_MS = 120_000;

export const isOver = ({ status }: Pick<TradeDetail, 'status'>): boolean =>
  status === 'COMPLETED' || status === 'CANCELLED';

/** How soon a trade is read again: not any more once it has been over for a while and all its deliveries have come to an end. */
export function renewAfter(
  { status, timeline }: Pick<TradeDetail, 'status' | 'timeline'>,
  now: number,
): number | false {
  const isOpen = timeline.some((entry) => entry.kind === 'DELIVERY' && OPEN.has(entry.status));
  const last = Math.max(...timeline.map(({ at }) => Date.parse(at)));
  return !isOver({ status }) || isOpen || now - last < AFTER_END_MS ? RENEW_MS : false;
}

const OPEN: ReadonlySet<string> = new Set(['PENDING', 'HELD']);
