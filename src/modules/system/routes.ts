import { type AnyRoute, read } from '../../platform/http/index.ts';
import { getSystemHealth, type SystemDeps } from './get-system-health.ts';
import { SystemHealthSchema } from './schemas.ts';

export const systemRoutes = (deps: SystemDeps): readonly AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/admin/system',
    operationId: 'getSystemHealth',
    tag: 'Administration',
    summary: 'How the node that answers fares',
    description: 'For dashboards; load balancers ask /readyz, and /metrics has the figures over time.',
    access: 'operator',
    schemas: { replies: { 200: SystemHealthSchema } },
    handle: async (db) => ({ status: 200, body: await getSystemHealth(db, deps) }),
  }),
];
