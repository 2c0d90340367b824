import { AppError } from '../../../contracts/errors.ts';
import type { Writer } from '../rules.ts';

/** Throws FORBIDDEN for an author: what concerns every post is for editors. */
export function requireEditor(writer: Writer): void {
  if (writer.role !== 'EDITOR') throw new AppError('FORBIDDEN', { message: 'This operation is for editors.' });
}
