import type { ManagedPost } from '@posthorn/client';

type Dated = Pick<ManagedPost, 'status' | 'publishedAt'>;

/** State of a post at a time: what was scheduled is public once its time has come, without anybody having saved it. */
export const statusAt = ({ status, publishedAt }: Dated, now: number): ManagedPost['status'] =>
  status === 'SCHEDULED' && publishedAt !== null && Date.parse(publishedAt) <= now ? 'PUBLISHED' : status;
