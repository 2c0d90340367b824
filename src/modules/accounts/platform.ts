import type { Platform } from '../../platform/platform.ts';

/** What this module uses of the platform. */
export type AccountsPlatform = Pick<
  Platform,
  'config' | 'log' | 'clock' | 'ownClock' | 'leastTime' | 'newId' | 'db' | 'bus' | 'cipher' | 'sender'
>;
