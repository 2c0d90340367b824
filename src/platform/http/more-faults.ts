import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorDetail, invalidAll } from '../../contracts/errors.ts';
import { detailsOf } from './validators.ts';

/** Tells what is wrong with a body that its schema refuses together with what `faultsOf` finds besides, at other places. */
export const withMoreFaults =
  (faultsOf: (body: unknown) => ErrorDetail[]) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    if (!error.validation || error.validationContext !== 'body') return void reply.send(error);
    const told = detailsOf(error.validation, 'body');
    const more = faultsOf(request.body).filter(({ path }) => told.every((one) => one.path !== path));
    reply.send(invalidAll([...told, ...more]));
  };
