import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { BlogFixture } from './fixtures.ts';
import { takeSlug } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const editor = await blog.writer('Eve', 'EDITOR');

test('a slug that its post gives back at the moment at which it is asked for is taken', async () => {
  const { id } = await blog.draft(editor, { title: 'Mine', slug: 'mine' });
  const { slug } = await blog.draft(editor, { title: 'Given back', slug: 'given-back' });
  await blog.run(async (trx) => {
    let statements = 0;
    const giving = trx.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // Right after the first statement has found the slug to be another's.
        if (++statements === 1) await sql`delete from post_slugs where slug = ${slug}`.execute(trx);
        return result;
      },
    });
    assert.equal(await takeSlug(giving, 'given-back', id), true);
    assert.ok(statements > 1);
    const { rows } = await sql`select post_id from post_slugs where slug = 'given-back'`.execute(trx);
    assert.deepEqual(rows, [{ post_id: id }]);
    assert.equal(await takeSlug(trx, 'given-back', id), true, 'its own');
    assert.equal(await takeSlug(trx, 'given-back', editor.id), false, "another's");
    await sql`update posts set slug = null where slug = 'given-back'`.execute(trx);
  });
});
