import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { HttpApp } from '../../src/platform/http/app.ts';
import { Contract } from './contract.ts';

/** The same app; every reply that its `inject` gives is held against its own OpenAPI document. */
export function checkedInject({ app, openapi }: Pick<HttpApp, 'app' | 'openapi'>): FastifyInstance {
  const inject = app.inject.bind(app) as (options: { method?: string; url: string }) => Promise<LightMyRequestResponse>;
  let contract: Contract | undefined;
  const checked = async (options: { method?: string; url: string }): Promise<LightMyRequestResponse> => {
    const reply = await inject(options);
    contract ??= new Contract(openapi());
    const headers = new Headers();
    for (const [name, value] of Object.entries(reply.headers)) headers.set(name, String(value));
    const isJson = headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = reply.body === '' ? undefined : isJson ? reply.json() : reply.body;
    const { method = 'GET', url: path } = options;
    contract.check({ method, path, status: reply.statusCode, headers, body });
    return reply;
  };
  return Object.assign(app, { inject: checked as FastifyInstance['inject'] });
}
