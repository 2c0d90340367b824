import { setTimeout as wait } from 'node:timers/promises';
import type { ExportedPost } from '../modules/blog/index.ts';
import { UnreadableFile } from './formats/fit.ts';
import { linesOf, utf8 } from './formats/utf8.ts';
import { type Service, ServiceError } from './service.ts';

/** A broken connection is taken up again this often without a post in between. */
const ATTEMPTS = 5;
/** Before the next attempt, doubled each time. Milliseconds. */
const PAUSE_MS = 250;

/** The posts of one reply; ends early, with a throw, when the connection breaks. */
async function* postsOf(service: Service, after: string | null): AsyncGenerator<ExportedPost> {
  const chunks = await service.stream(`/v1/blog/manage/export${after === null ? '' : `?after=${after}`}`);
  for await (const line of linesOf(utf8(chunks))) {
    let post: ExportedPost | null;
    try {
      post = line === null ? null : (JSON.parse(line) as ExportedPost | null);
    } catch {
      throw new UnreadableFile('a line of the reply is cut');
    }
    if (typeof post?.id !== 'string') throw new ServiceError('the service answered with something that is no post');
    yield post;
  }
}

/**
 * Every post of the service, once, in order of id. Goes on behind the last one when the connection breaks. Throws
 * ServiceError when that does not help, so what was read is all or told to be not.
 */
export async function* readExport(service: Service): AsyncGenerator<ExportedPost> {
  let after: string | null = null;
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const post of postsOf(service, after)) {
        yield post;
        after = post.id;
        attempt = 1;
      }
      return;
    } catch (error) {
      // Before the first post it is the service that refuses; later it may be restarting.
      if (after === null && error instanceof ServiceError) throw error;
      if (attempt >= ATTEMPTS)
        throw new ServiceError(`the export broke off: ${(error as Error).message}`, { cause: error });
      await wait(PAUSE_MS * 2 ** attempt);
    }
  }
}
