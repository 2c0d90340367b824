import type { Module, Platform } from '../../platform/platform.ts';
import { systemRoutes } from './routes.ts';

/** What is known of the process itself. Reads nothing until it is asked. */
export const createSystem = (platform: Platform, { version }: { version: string }): Module => ({
  name: 'system',
  routes: systemRoutes({ platform, version, startedAt: new Date(platform.clock.now()) }),
  loops: [],
});
