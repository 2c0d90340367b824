export { webhookPlugin } from './fastify.ts';
export { webhookHandler } from './fetch.ts';
export { webhookMiddleware } from './node.ts';
export type { DeliveryInfo, ReceiverOptions } from './receive.ts';
export { type SeenEvents, seenInMemory } from './seen-events.ts';
