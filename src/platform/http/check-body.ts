import type { TSchema } from 'typebox';
import { invalidAll } from '../../contracts/errors.ts';
import { detailsOf, validatorCompiler } from './validators.ts';

/**
 * Holds a body that came in another way than as JSON of a route (a form) against the schema of that route; throws
 * VALIDATION_ERROR as the route would.
 */
export function bodyCheck(schema: TSchema): (body: unknown) => void {
  const check = validatorCompiler({ schema, httpPart: 'body' });
  return (body) => {
    const fits = check(body);
    if (fits !== true) throw invalidAll(detailsOf(fits.error, 'body'));
  };
}
