const parts = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});

/** An instant as the reader's clock shows it, with the zone: `2026-01-31 09:05:00 GMT+1`. A dash for none. */
export function localTime(iso: string | null | undefined): string {
  if (iso == null) return '–';
  const of = Object.fromEntries(parts.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
  return `${of.year}-${of.month}-${of.day} ${of.hour}:${of.minute}:${of.second} ${of.timeZoneName}`;
}

/** The same without day and zone, for lines that follow each other as things happen. */
export const timeOfDay = (iso: string): string => localTime(iso).slice(11, 19);
