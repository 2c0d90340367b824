import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../contracts/errors.ts';
import type { Admission } from './admission.ts';
import { toAppError } from './errors.ts';
import type { AnyRoute, Reply } from './route.ts';

/** What is no fault of the request, or is not to cost us a row: no valid credential, over the rate limit, our own failures. */
const isRecorded = ({ status }: AppError): boolean => status >= 400 && status < 500 && status !== 401 && status !== 429;

interface Refusals {
  /** From now on the handler sees to the request. */
  begun: (request: FastifyRequest) => void;
  /** Gives the handler what was refused before it began; the answer is the refusal all the same. */
  onError: (fault: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

/** For a route with `recordsRefusals`: its handler is told of every request of a known caller, however early it is refused. */
export function recordRefusals(
  route: AnyRoute,
  admission: Pick<Admission, 'admit'>,
  run: (request: FastifyRequest, why: { refusal: AppError }) => Promise<Reply>,
): Refusals {
  const begun = new WeakSet<FastifyRequest>();
  /** Whether we know who calls; asked here for what is refused before (another format wanted). */
  const isKnown = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    if (request.caller !== undefined) return true;
    try {
      request.caller = await admission.admit(route, request, reply);
      return true;
    } catch {
      return request.caller !== undefined;
    } finally {
      // Such an answer tells nothing of limits, whoever called.
      for (const name of Object.keys(reply.getHeaders())) if (name.startsWith('ratelimit-')) reply.removeHeader(name);
    }
  };
  const record = async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = toAppError(error, request.routeOptions.bodyLimit);
    const isCut = error instanceof Error && request.raw.errored === error;
    if (begun.has(request) || isCut || !isRecorded(refusal) || !(await isKnown(request, reply))) return;
    await run(request, { refusal });
  };
  return {
    begun: (request) => void begun.add(request),
    onError: (fault, request, reply) =>
      void record(fault, request, reply).then(
        () => reply.send(fault),
        // The refusal itself, or that it could not be kept.
        (failure: unknown) => reply.send(failure),
      ),
  };
}
