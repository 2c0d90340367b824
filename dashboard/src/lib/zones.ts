const MINUTE = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
const DAY_MS = 86_400_000;

/** Whether what stands in `<input type="datetime-local">` has a whole year: while one is being typed, it goes through 2, 20 and 202. */
const hasYear = (typed: string): boolean => /^[1-9]\d{3}-/.test(typed);

/** What some browsers call zones, Chromium among them, and what these are called since. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const FORMER: ReadonlyMap<string, string> = new Map(Object.entries(RENAMED).map(([former, name]) => [name, former]));

/** The name that a zone has today, unless this browser is older than it. */
function presentName(zone: string): string {
  const name = RENAMED[zone];
  if (name === undefined) return zone;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    return zone;
  }
}

/** The time zone of this browser. */
export const ownZone = (): string => presentName(Intl.DateTimeFormat().resolvedOptions().timeZone);

let known: string[] | undefined;

/** Every time zone that this browser knows, its own first. */
export const allZones = (): readonly string[] =>
  (known ??= [...new Set([ownZone(), 'UTC', ...Intl.supportedValuesOf('timeZone').map(presentName).toSorted()])]);

const plain = (name: string): string => name.toLowerCase().replaceAll('_', ' ').trim();

/** Whether a zone is meant by what is typed, as "new york" or "Calcutta". */
export const isZoneOf = (zone: string, typed: string): boolean =>
  [zone, FORMER.get(zone) ?? zone, RENAMED[zone] ?? zone].some((name) => plain(name).includes(plain(typed)));

/** What the clocks of a time zone show at a time, as `<input type="datetime-local">` writes it: `2026-11-22T09:30`. */
export function wallTime(at: Date, zone: string): string {
  // Sweden writes dates as ISO 8601 does, but for the zeros before a short year.
  const text = new Intl.DateTimeFormat('sv-SE', { ...MINUTE, timeZone: zone }).format(at);
  return text.replace(' ', 'T').padStart(16, '0');
}

/** How far the clocks of a zone are before UTC at a time. Milliseconds. */
const aheadBy = (at: number, zone: string): number => {
  const minute = Math.floor(at / 60_000) * 60_000;
  return Date.parse(`${wallTime(new Date(minute), zone)}Z`) - minute;
};

/**
 * When the clocks of a time zone show this; null for what is no time, or not a whole one yet. Of two such moments, when clocks are set back, the
 * first; where they skip it, as much later as they skip. `begun`: what the time was before it was typed, which it is as long as the clocks
 * showed this then: the second of two such moments stays the second, and its seconds stay.
 */
export function instantOf(wall: string, zone: string, begun?: Date): Date | null {
  if (begun !== undefined && wallTime(begun, zone) === wall) return begun;
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc) || !hasYear(wall)) return null;
  const [before, after] = [aheadBy(asUtc - DAY_MS, zone), aheadBy(asUtc + DAY_MS, zone)];
  const first = [before, after].map((ahead) => asUtc - ahead).find((at) => at + aheadBy(at, zone) === asUtc);
  return new Date(first ?? asUtc - before);
}

/**
 * The time that was typed into `<input type="datetime-local">`, in the zone of this browser, as the service takes it. Undefined
 * as long as it is none.
 */
export function momentOf(typed: string): string | undefined {
  const at = hasYear(typed) ? new Date(typed) : null;
  return at === null || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** "Europe/Berlin (CEST)": a time zone as it is called at that time; "UTC" has no other name. */
export function zoneText(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(at);
  const name = parts.find((p) => p.type === 'timeZoneName')?.value;
  return name === undefined || name === zone ? zone : `${zone} (${name})`;
}
