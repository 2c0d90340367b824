/** What the service takes. Days. */
const MOST = 36_500;

/** What was typed as a number of days: null when nothing was, 'fault' for what is no such number. It is never put right in silence. */
export function daysOf(typed: string | number): number | null | 'fault' {
  if (typed === '') return null;
  const days = Number(typed);
  return Number.isInteger(days) && days >= 1 && days <= MOST ? days : 'fault';
}

/** What is wrong with it. */
export const DAYS_FAULT = `A whole number from 1 to ${MOST}; empty for as long as usual.`;
