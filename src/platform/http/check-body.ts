import type { TSchema } from 'typebox';
import { invalidAll } from '../../contracts/errors.ts';
import { detailsOf, validatorCompiler } from './validators.ts';

type Check = ((body: unknown) => boolean) & { errors?: Parameters<typeof detailsOf>[0] | null };

/**
 * Holds a body that came in another way than as JSON of a route (a form) against the schema of that route; throws
 * VALIDATION_ERROR as the route would.
 */
export function bodyCheck(schema: TSchema): (body: unknown) => void {
  const check = validatorCompiler({ schema, method: 'POST', url: '', httpPart: 'body' }) as Check;
  return (body) => {
    if (!check(body)) throw invalidAll(detailsOf(check.errors ?? [], 'body'));
  };
}
