import type { BlogRole, SessionCaller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';

/** Who writes here. Throws FORBIDDEN for a caller without a blog role (interface.md §5.4). */
export function getBlogMe(caller: SessionCaller): { id: string; name: string; role: BlogRole } {
  if (caller.blogRole === null) throw new AppError('FORBIDDEN');
  return { id: caller.userId, name: caller.name, role: caller.blogRole };
}
