import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DomUtils } from 'htmlparser2';
import { sql } from 'kysely';
import { siteFixture } from './helpers/site.ts';
import { BROWSER, type SitePage, textOf } from './helpers/visitor.ts';

const site = await siteFixture();
const { slug } = await site.publish({ title: 'To talk about' });
const path = `/blog/${slug}`;
const ann = await site.reader('Ann');

const commentsOn = (page: SitePage): string[] =>
  page.all('article', { class: 'comment' }).map((c) => c.attribs['id'] ?? '');
const { db } = site.service.service.opened.platform;
const reasonsOf = async (commentId: string): Promise<string[]> => {
  const found = await sql<{
    reason: string;
  }>`select reason from comment_reports where comment_id = ${commentId}`.execute(db);
  return found.rows.map(({ reason }) => reason);
};
/** Replies to a comment, more than a test could write one by one. */
async function flood(id: string, count: number): Promise<void> {
  await sql`
    insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, created_at)
    select gen_random_uuid(), post_id, id, root_id, path || id, author_id, 'reply ' || n, 'VISIBLE', created_at + n * interval '1 ms'
    from comments, generate_series(1, ${count}::integer) as n where id = ${id}`.execute(db);
  await sql`update comments set thread_visible = thread_visible + ${count} where id = ${id}`.execute(db);
}
const idIn = (text: string): string => /#comment-([0-9a-f-]{36})/.exec(text)?.[1] ?? '';

describe('signing up, in and out', () => {
  test('the form signs in by a cookie that no script reads, and comes back to where it was asked for', async () => {
    const visitor = site.visitor();
    const form = await visitor.get(`/blog/-/sign-up?next=${path}`);
    assert.equal(form.status, 200);
    assert.deepEqual(form.values('input', 'value', { name: 'next' }), [path]);
    const fields = { name: 'Bea', email: 'bea@example.com', password: 'correct horse', next: path };
    const reply = await visitor.send('/blog/-/sign-up', fields);
    assert.deepEqual([reply.status, reply.location], [303, path]);
    assert.match(reply.headers.getSetCookie().join(), /^posthorn_session=phs_.+; HttpOnly; SameSite=Lax$|HttpOnly/);
    const page = await visitor.get(path);
    assert.ok(page.texts('li').includes('Signed in as Bea'));
    assert.equal(page.headers.get('cache-control'), 'private, no-cache');
    assert.equal((await visitor.get('/blog/-/sign-in')).status, 303, 'who is signed in needs no form');

    const left = await visitor.sendAndFollow('/blog/-/sign-out', { next: path });
    assert.ok(left.texts('a').includes('Sign in'));
    assert.equal(visitor.cookies.size, 0);
    assert.equal((await visitor.send('/blog/-/sign-in', { ...fields })).status, 303);
    assert.ok(visitor.cookies.has('posthorn_session'));
  });

  test('what is wrong is told beside the field, with what was typed, but never the password', async () => {
    const page = await site.visitor().send('/blog/-/sign-up', { name: '<b>', email: 'no"address', password: 'short' });
    assert.equal(page.status, 422);
    assert.equal(page.all('p', { class: 'fault' }).length, 2);
    assert.deepEqual(page.values('input', 'value', { id: 'email' }), ['no"address']);
    assert.deepEqual(page.values('input', 'value', { id: 'name' }), ['<b>']);
    assert.deepEqual(page.values('input', 'value', { type: 'password' }), ['']);
    assert.deepEqual(page.values('input', 'aria-invalid', { id: 'password' }), ['true']);
    assert.deepEqual(page.values('input', 'maxlength', { id: 'password' }), [''], 'none is cut off');
    for (const [password, status] of [
      ['x'.repeat(201), 422],
      ['🐟'.repeat(200), 303],
    ] as const) {
      const fields = { name: 'Long', email: 'long@example.com', password };
      assert.equal((await site.visitor().send('/blog/-/sign-up', fields)).status, status, password);
    }
    assert.equal(page.headers.get('cache-control'), 'no-store');
    const taken = await site
      .visitor()
      .send('/blog/-/sign-up', { name: 'A', email: 'ANN@example.com', password: 'correct horse' });
    assert.deepEqual(taken.texts('p', { class: 'fault' }), ['There is an account with this address already.']);
    const wrong = await site.visitor().send('/blog/-/sign-in', { email: 'ann@example.com', password: 'wrong' });
    assert.deepEqual(
      [wrong.status, wrong.texts('p', { role: 'alert' })],
      [422, ['E-mail address and password do not belong together.']],
    );
  });

  test('a next address elsewhere leads home', async () => {
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/blogger',
      '/v1/blog',
      '/blog/..//evil',
      '/blog/../v1/auth/me',
      '/blog/%2e%2e/dashboard',
      '/blog/.%2E?',
      'javascript:alert(1)',
    ]) {
      const reply = await site
        .visitor()
        .send('/blog/-/sign-in', { email: 'ann@example.com', password: 'correct horse', next });
      assert.deepEqual([reply.status, reply.location], [303, '/blog'], next);
    }
  });

  test('a session of one’s own gives no further tries at the password of another', async () => {
    const strict = await site.beside({ env: { RATE_LIMIT_SIGN_IN: '3' } });
    await site.reader('Victim');
    const statuses: number[] = [];
    for (const who of ['Thief', 'Thief too']) {
      const thief = strict.visitor();
      for (const [name, value] of (await site.reader(who)).cookies) thief.cookies.set(name, value);
      for (let i = 0; i < 3; i++) {
        const fields = { email: 'Victim@example.com', password: `guess ${i}` };
        statuses.push((await thief.send('/blog/-/sign-in', fields)).status);
      }
    }
    assert.deepEqual(statuses, [422, 422, 422, 429, 429, 429]);
  });

  test('where nobody may sign up, no page offers it', async () => {
    const closed = await site.beside({ env: { POSTHORN_SIGN_UP: 'false' } });
    const visitor = closed.visitor();
    assert.deepEqual((await visitor.get('/blog/-/sign-up')).texts('h1'), ['Sign in']);
    assert.doesNotMatch((await visitor.get('/blog')).text, /sign-up/);
    const refused = await visitor.send('/blog/-/sign-up', {
      name: 'C',
      email: 'c@example.com',
      password: 'correct horse',
    });
    assert.equal(refused.status, 403);
  });
});

test('who likes a post sees that in the lists of another process at once', async () => {
  const other = await site.beside({});
  const { slug } = await site.publish({ title: 'Liked from two sides', category: 'Sides' });
  const lea = await site.reader('Lea');
  const leaThere = other.visitor();
  for (const [name, value] of lea.cookies) leaThere.cookies.set(name, value);
  for (const path of ['/blog', '/blog/category/Sides']) {
    assert.equal((await leaThere.get(path)).status, 200);
    for (const liked of ['true', 'false', 'true', 'false']) {
      assert.equal((await lea.send(`/blog/${slug}/like`, { liked })).status, 303);
      const { text } = await leaThere.get(path);
      const card = text.slice(text.indexOf('Liked from two sides')).split('</article>')[0] ?? '';
      assert.equal(card.includes('1 like<'), liked === 'true', path);
    }
  }
});

describe('a form from elsewhere is refused', () => {
  const fields = { liked: 'true', body: 'Hello', email: 'ann@example.com', password: 'correct horse' };
  for (const to of [`${path}/like`, `${path}/comments`, '/blog/-/sign-in', '/blog/-/sign-out']) {
    test(to, async () => {
      for (const headers of [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
      ]) {
        const reply = await ann.send(to, fields, headers);
        assert.deepEqual([reply.status, reply.texts('h1')], [403, ['That was not taken']]);
        assert.deepEqual(reply.headers.getSetCookie(), []);
      }
    });
  }

  test('and so is what is no form', async () => {
    const json = await fetch(`${site.service.url}${path}/like`, {
      method: 'POST',
      headers: { origin: site.service.url, 'content-type': 'application/json' },
      body: '{"liked": true}',
    });
    assert.equal(json.status, 415);
    const long = await ann.send(`${path}/comments`, { body: 'x'.repeat(70_000) });
    assert.equal(long.status, 413);
    const nul = await ann.send(`${path}/comments`, { body: 'a\u0000b' });
    assert.equal(nul.status, 400);
  });
});

describe('likes', () => {
  test('by the form, and taken back; without a session to the sign-in and back', async () => {
    const liked = await ann.sendAndFollow(`${path}/like`, { liked: 'true' });
    assert.equal(liked.all('button', { 'aria-pressed': 'true' }).length, 1);
    assert.deepEqual(liked.texts('span', { 'data-count': '' }), ['1']);
    const again = await ann.sendAndFollow(`${path}/like`, { liked: 'true' });
    assert.deepEqual(again.texts('span', { 'data-count': '' }), ['1']);
    const unliked = await ann.sendAndFollow(`${path}/like`, { liked: 'false' });
    assert.deepEqual(unliked.texts('span', { 'data-count': '' }), ['0']);
    const nobody = await site.visitor().send(`${path}/like`, { liked: 'true' });
    assert.deepEqual([nobody.status, nobody.location], [303, `/blog/-/sign-in?next=${encodeURIComponent(path)}`]);
  });

  test('by the script, as JSON', async () => {
    const accept = { accept: 'application/json' };
    const reply = await ann.send(`${path}/like`, { liked: 'true' }, accept);
    assert.deepEqual([reply.status, JSON.parse(reply.text)], [200, { liked: true, likeCount: 1 }]);
    const nobody = await site.visitor().send(`${path}/like`, { liked: 'true' }, accept);
    assert.equal((JSON.parse(nobody.text) as { error: { code: string } }).error.code, 'UNAUTHENTICATED');
  });
});

describe('comments', () => {
  test('are written, answered, reported and deleted', async () => {
    const cem = await site.reader('Cem');
    const written = await ann.send(`${path}/comments`, { body: 'First <b>line</b>\r\nsecond\r\n\r\nthird', page: '1' });
    assert.equal(written.status, 303);
    const id = idIn(written.location);
    assert.equal(written.location, `${path}?notice=commented#comment-${id}`);
    const page = await ann.get(`${path}?notice=commented`);
    assert.ok(page.texts('p', { role: 'status' }).includes('Your comment is published.'));
    assert.deepEqual(page.texts('p', { dir: 'auto' }).slice(-2), ['First <b>line</b>second', 'third']);

    const answered = await cem.send(`${path}/comments`, { body: 'I see.', parentId: id, page: '1' });
    const replyId = idIn(answered.location);
    const both = await cem.get(path);
    assert.deepEqual(commentsOn(both), [`comment-${id}`, `comment-${replyId}`]);
    assert.equal(both.values('form', 'action').filter((to) => to.endsWith('/delete')).length, 1, 'own comments only');

    const reported = await cem.send(`/blog/-/comments/${id}/report`, { post: slug, reason: 'Rude.' });
    assert.equal(reported.location, `${path}?notice=reported#comments`);
    assert.equal((await cem.send(`/blog/-/comments/${id}/delete`, { post: slug })).status, 404, 'of somebody else');
    const removed = await ann.send(`/blog/-/comments/${id}/delete`, { post: slug });
    assert.equal(removed.location, `${path}?notice=deleted#comments`);
    const left = await ann.get(path);
    assert.deepEqual(commentsOn(left), [`comment-${replyId}`]);
    assert.match(left.text, /This comment is not here any more/);
    assert.doesNotMatch(left.text, /First &lt;b&gt;/);
  });

  test('what is not taken is told, and not lost', async () => {
    const empty = await ann.send(`${path}/comments`, { body: '   ' });
    assert.deepEqual([empty.status, empty.texts('p', { class: 'fault' })], [422, ['Write something first.']]);
    const text = `</textarea><script>alert(1)</script>${'x'.repeat(4000)}`;
    const long = await ann.send(`${path}/comments`, { body: text });
    assert.deepEqual(long.texts('p', { class: 'fault' }), ['Write at most 4000 characters.']);
    assert.deepEqual(
      long.all('textarea', { id: 'comment' }).map((t) => (t.children[0] as { data: string }).data.trim()),
      [text],
    );
    assert.equal(long.all('script').filter((script) => script.children.length > 0).length, 1, 'JSON-LD only');
    const orphan = await ann.send(`${path}/comments`, {
      body: 'To nobody',
      parentId: '01890000-0000-7000-8000-000000000000',
    });
    assert.deepEqual(orphan.texts('p', { class: 'fault' }), ['The comment that you answer is not there any more.']);
  });

  test('too long a one is not lost either where the address has changed meanwhile', async () => {
    const post = await site.publish({ title: 'Soon elsewhere' });
    await site.change(post.id, { slug: 'elsewhere' });
    const long = await ann.send('/blog/soon-elsewhere/comments', { body: 'y'.repeat(4001) });
    assert.deepEqual([long.status, long.texts('textarea', { id: 'comment' })], [422, ['y'.repeat(4001)]]);
  });

  test('and likes reach a post whose address is written in capitals', async () => {
    const there = `/blog/${slug.toUpperCase()}`;
    const long = await ann.send(`${there}/comments`, { body: 'z'.repeat(4001) });
    assert.deepEqual([long.status, long.texts('textarea', { id: 'comment' })], [422, ['z'.repeat(4001)]]);
    const written = await ann.send(`${there}/comments`, { body: 'Said loudly' });
    assert.equal(written.location, `${path}?notice=commented#comment-${idIn(written.location)}`);
    for (const liked of ['true', 'false']) assert.equal((await ann.send(`${there}/like`, { liked })).location, path);
    assert.equal((await ann.send(`${there}/share`, { channel: 'email' })).status, 204);
    const ended = await site.visitor().send(`${there}/comments`, { body: 'Typed before it ended' });
    assert.deepEqual(ended.values('input', 'value', { name: 'commentOn' }), [slug]);
    assert.deepEqual(ended.texts('textarea', { id: 'comment' }), ['Typed before it ended']);
  });

  describe('of somebody whose session has ended meanwhile', () => {
    const fieldsOf = (page: SitePage): Record<string, string> =>
      Object.fromEntries([
        ...page
          .all('form', { class: 'form' })
          .flatMap((form) => DomUtils.getElementsByTagName('input', form))
          .map(({ attribs }) => [attribs['name'] ?? '', attribs['value'] ?? ''] as const),
        ...page.all('textarea').map((area) => [area.attribs['name'] ?? '', textOf(area)] as const),
      ]);

    test('is sent once they have signed in', async () => {
      const { location } = await ann.send(`${path}/comments`, { body: 'To be answered' });
      const parentId = idIn(location);
      const dora = await site.reader('Dora');
      dora.cookies.clear();
      const typed = 'Typed before <b>it</b> ended "';
      const form = await dora.send(`${path}/comments`, { body: typed, parentId, page: '1' });
      assert.deepEqual(
        [form.status, form.texts('h1'), form.headers.get('cache-control')],
        [200, ['Sign in'], 'no-store'],
      );
      const fields = fieldsOf(form);
      const wrong = await dora.send('/blog/-/sign-in', { ...fields, email: 'dora@example.com', password: 'wrong' });
      assert.deepEqual([wrong.status, fieldsOf(wrong)], [422, { ...fields, email: 'dora@example.com' }]);
      const right = { ...fieldsOf(wrong), password: 'correct horse' };
      const sent = await dora.send('/blog/-/sign-in', right);
      assert.equal(sent.location, `${path}?notice=commented#comment-${idIn(sent.location)}`);
      assert.ok(dora.cookies.has('posthorn_session'));
      const page = await dora.get(path);
      const reply = page.all('article', { id: `comment-${idIn(sent.location)}` })[0];
      assert.ok(reply && textOf(reply).includes(typed), page.text);
      assert.ok(
        commentsOn(page).indexOf(`comment-${idIn(sent.location)}`) > commentsOn(page).indexOf(`comment-${parentId}`),
      );
    });

    test('goes along to the form to sign up, and back', async () => {
      const visitor = site.visitor();
      const fields = fieldsOf(await visitor.send(`${path}/comments`, { body: 'By somebody new' }));
      const signUp = await visitor.send('/blog/-/sign-up', { ...fields, show: 'true' });
      assert.deepEqual(
        [signUp.status, signUp.texts('h1'), signUp.all('p', { class: 'fault' })],
        [200, ['Sign up'], []],
      );
      const back = await visitor.send('/blog/-/sign-in', { ...fieldsOf(signUp), show: 'true' });
      assert.deepEqual(fieldsOf(back), fields);
      const who = { name: 'Emil', email: 'emil@example.com', password: 'correct horse' };
      const sent = await visitor.send('/blog/-/sign-up', { ...fieldsOf(signUp), ...who });
      assert.match((await visitor.get(sent.location.split('#')[0] ?? '')).text, /By somebody new/);
    });

    test('that cannot be taken stands in the form, and they are signed in', async () => {
      const fran = await site.reader('Fran');
      fran.cookies.clear();
      const fields = fieldsOf(await fran.send(`${path}/comments`, { body: 'z'.repeat(4001) }));
      const credentials = { email: 'fran@example.com', password: 'correct horse' };
      const page = await fran.send('/blog/-/sign-in', { ...fields, ...credentials });
      assert.deepEqual([page.status, page.texts('textarea', { id: 'comment' })], [422, ['z'.repeat(4001)]]);
      assert.ok(page.texts('li').includes('Signed in as Fran') && fran.cookies.has('posthorn_session'));
      const gone = await site.publish({ title: 'Soon gone' });
      const other = await site.reader('Gus');
      other.cookies.clear();
      const carried = fieldsOf(await other.send(`/blog/${gone.slug}/comments`, { body: 'Too late' }));
      await site.unpublish(gone.id);
      const late = await other.send('/blog/-/sign-in', {
        ...carried,
        email: 'gus@example.com',
        password: 'correct horse',
      });
      assert.deepEqual([late.status, late.location], [303, `/blog/${gone.slug}#comments`]);
      assert.ok(other.cookies.has('posthorn_session'));
    });

    for (const [form, reader] of [
      ['sign-up', { name: 'Hal', email: 'hal@example.com', password: 'correct horse' }],
      ['sign-in', { email: 'ann@example.com', password: 'correct horse' }],
    ] as const) {
      test(`is not lost when the service fails at the ${form}, and can be sent again`, async () => {
        const visitor = site.visitor();
        const typed = `Typed before it failed, ${form} <b>"`;
        const parentId = idIn((await ann.send(`${path}/comments`, { body: `Before the ${form} fails` })).location);
        const fields = fieldsOf(await visitor.send(`${path}/comments`, { body: typed, parentId, page: '1' }));
        await sql`alter table comments rename to comments_gone`.execute(db);
        const failed = await visitor.send(`/blog/-/${form}`, { ...fields, ...reader });
        await sql`alter table comments_gone rename to comments`.execute(db);
        assert.deepEqual([failed.status, failed.texts('textarea')], [500, [typed]]);
        const again = fieldsOf(failed);
        assert.deepEqual([again['body'], again['parentId'], again['page']], [typed, parentId, '1']);
        // Nobody is signed in yet: the form to do so carries it once more.
        const asked = await visitor.send(`${path}/comments`, again);
        const { email, password } = reader;
        const sent = await visitor.send('/blog/-/sign-in', { ...fieldsOf(asked), email, password });
        assert.match((await visitor.get(sent.location.split('#')[0] ?? '')).text, new RegExp(`failed, ${form}`));
      });
    }

    test('reports with the reason as it was typed, also by way of the form to sign up', async () => {
      const { location } = await ann.send(`${path}/comments`, { body: 'To be reported' });
      const id = idIn(location);
      const visitor = site.visitor();
      const reason = 'Typed before <b>it</b> ended "';
      const form = await visitor.send(`/blog/-/comments/${id}/report`, { post: slug, reason, page: '1' });
      assert.deepEqual(
        [form.status, form.texts('h1'), form.values('input', 'value', { id: 'reason' })],
        [200, ['Sign in'], [reason]],
      );
      assert.match(form.text, /Your report is sent as soon as you are/);
      const signUp = await visitor.send('/blog/-/sign-up', { ...fieldsOf(form), show: 'true' });
      const who = { name: 'Ines', email: 'ines@example.com', password: 'correct horse' };
      const sent = await visitor.send('/blog/-/sign-up', { ...fieldsOf(signUp), ...who });
      assert.deepEqual([sent.status, sent.location], [303, `${path}?notice=reported#comments`]);
      assert.deepEqual(await reasonsOf(id), [reason]);
    });

    test('counts as any other of theirs, and is there to be sent again when there were too many', async () => {
      const strict = await site.beside({ env: { RATE_LIMIT_COMMENTS: '2' } });
      const quinn = await strict.reader('Quinn');
      quinn.cookies.clear();
      const fields = fieldsOf(await quinn.send(`${path}/comments`, { body: 'Typed in haste' }));
      const sent = () =>
        quinn.send('/blog/-/sign-in', { ...fields, email: 'quinn@example.com', password: 'correct horse' });
      for (let n = 0; n < 2; n++) assert.match((await sent()).location, /notice=(?:commented|held)/);
      const count = async () => (await sql`select 1 from comments`.execute(db)).rows.length;
      const before = await count();
      quinn.cookies.clear();
      const refused = await sent();
      assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 0], [429, true]);
      assert.deepEqual(refused.texts('textarea', { id: 'comment' }), ['Typed in haste']);
      assert.match(refused.text, /You have sent too many comments in a short time/);
      assert.ok(quinn.cookies.has('posthorn_session'), 'signed in all the same');
      assert.equal(await count(), before, 'nothing was stored');
      assert.equal((await quinn.send(`${path}/comments`, { body: 'Again' })).status, 429, 'one count for both ways');
    });

    test('a form that carries nonsense signs in all the same', async () => {
      const visitor = site.visitor();
      const nonsense = { commentOn: '../x', comment: 'x', commentParent: 'no id', commentPage: '-1' };
      const credentials = { email: 'ann@example.com', password: 'correct horse' };
      const reply = await visitor.send('/blog/-/sign-in', { ...nonsense, ...credentials });
      assert.deepEqual([reply.status, reply.location], [303, '/blog']);
    });
  });

  test('one that fails for a reason that passes is shown to be sent again; one that is refused is not', async () => {
    // While it is stored, and before it is known who sends it.
    for (const table of ['comments', 'sessions']) {
      await sql`alter table ${sql.table(table)} rename to gone`.execute(db);
      const failed = await ann.send(`${path}/comments`, { body: `Not lost with ${table}` });
      await sql`alter table gone rename to ${sql.table(table)}`.execute(db);
      assert.deepEqual([failed.status, failed.texts('textarea')], [500, [`Not lost with ${table}`]]);
      assert.deepEqual(failed.values('form', 'action', { class: 'form' }), [`${path}/comments`]);
    }
    const refused = await ann.send('/blog/no-such-post/comments', { body: 'Nowhere' });
    assert.deepEqual([refused.status, refused.all('textarea')], [404, []]);
  });

  test('a report whose reason is empty or too long says so in the words of the page', async () => {
    const id = idIn((await ann.send(`${path}/comments`, { body: 'To be reported well' })).location);
    const kim = await site.reader('Kim');
    const report = (reason: string) => kim.send(`/blog/-/comments/${id}/report`, { post: slug, reason, page: '1' });
    const empty = await report(' ');
    assert.equal(empty.status, 400);
    assert.match(empty.text, /Say what is wrong with the comment first/);
    const typed = 'w'.repeat(1001);
    const long = await report(typed);
    assert.equal(long.status, 400);
    assert.match(long.text, /in at most 1000 characters/);
    assert.deepEqual(
      long.values('input', 'value', { id: 'reason' }),
      [typed],
      'what was typed is there, to be shortened',
    );
    assert.doesNotMatch(empty.text + long.text, /body\.reason/);
  });

  test('a report that fails for a reason that passes is shown to be sent again', async () => {
    const id = idIn((await ann.send(`${path}/comments`, { body: 'To be reported later' })).location);
    const jo = await site.reader('Jo');
    for (const table of ['comments', 'sessions']) {
      await sql`alter table ${sql.table(table)} rename to gone`.execute(db);
      const failed = await jo.send(`/blog/-/comments/${id}/report`, { post: slug, reason: `With ${table}`, page: '1' });
      await sql`alter table gone rename to ${sql.table(table)}`.execute(db);
      assert.deepEqual([failed.status, failed.values('input', 'value', { id: 'reason' })], [500, [`With ${table}`]]);
      const [action = ''] = failed.values('form', 'action', { class: 'form' });
      assert.equal(action, `/blog/-/comments/${id}/report`);
    }
    const sent = await jo.send(`/blog/-/comments/${id}/report`, { post: slug, reason: 'At last' });
    assert.deepEqual([sent.location, await reasonsOf(id)], [`${path}?notice=reported#comments`, ['At last']]);
  });

  test('one that a rule holds back waits for a moderator', async () => {
    const spam =
      'https://a.example https://b.example https://c.example https://d.example https://e.example https://f.example';
    const held = await ann.send(`${path}/comments`, { body: spam });
    assert.equal(held.location, `${path}?notice=held#comments`);
    const page = await ann.get(held.location.split('#')[0] ?? '');
    assert.ok(page.texts('p', { role: 'status' }).some((text) => text.includes('moderator')));
    assert.match(page.text, /<h2 id="comments-title">[^<]*<\/h2>\n<p class="notice"/, 'where the reader comes back to');
    assert.doesNotMatch(page.text, /a\.example/);
  });

  test('on a page whose address has changed meanwhile are stored, and shown at the new one', async () => {
    const post = await site.publish({ title: 'Old address' });
    await site.change(post.id, { slug: 'new-address' });
    const written = await ann.send('/blog/old-address/comments', { body: 'Typed meanwhile' });
    assert.equal(written.status, 303);
    assert.match(written.location, /^\/blog\/old-address\?notice=commented#comment-/);
    const moved = await ann.get(written.location.split('#')[0] ?? '');
    assert.deepEqual([moved.status, moved.location], [301, '/blog/new-address?notice=commented']);
    assert.match((await ann.get(moved.location)).text, /Typed meanwhile/);
  });

  test('a thread that is too long for the page leads to all of its replies', async () => {
    const busy = await site.publish({ title: 'One long thread' });
    const top = idIn((await ann.send(`/blog/${busy.slug}/comments`, { body: 'The top' })).location);
    await flood(top, 1000);
    await ann.send(`/blog/${busy.slug}/comments`, { body: 'One too many', parentId: top });
    const page = await ann.get(`/blog/${busy.slug}`);
    const link = `/blog/-/comments/${top}/replies?post=${busy.slug}`;
    assert.deepEqual(page.texts('a', { href: link }), ['1 more reply']);
    const first = await site.visitor().get(link);
    assert.deepEqual([first.status, first.texts('h1'), commentsOn(first).length], [200, ['1001 replies'], 50]);
    assert.deepEqual(first.values('a', 'href', { rel: 'next' }), [`${link}&page=2`]);
    const last = await ann.get(`${link}&page=21`);
    assert.equal(commentsOn(last).length, 1);
    assert.ok(last.values('a', 'href').includes(`/blog/${busy.slug}#comment-${top}`));
    for (const none of [
      `${link}&page=22`,
      `/blog/-/comments/${top}/replies`,
      link.replace(top, 'x'),
      link.replace(top, busy.id),
    ])
      assert.equal((await ann.get(none)).status, 404, none);
  });

  test('go over several pages; a new one leads to the last', async () => {
    const busy = await site.publish({ title: 'Much discussed' });
    let last = '';
    for (let i = 0; i < 21; i++)
      last = (await ann.send(`/blog/${busy.slug}/comments`, { body: `Remark ${i}` })).location;
    assert.match(last, /\?comments=2&notice=commented#comment-/);
    const first = await ann.get(`/blog/${busy.slug}`);
    assert.equal(commentsOn(first).length, 20);
    assert.deepEqual(
      first.values('a', 'href', { rel: 'next' }).filter((link) => link.endsWith('#comments')),
      [`/blog/${busy.slug}?comments=2#comments`],
    );
    assert.equal(commentsOn(await ann.get(`/blog/${busy.slug}?comments=2`)).length, 1);
    assert.equal(commentsOn(await ann.get(`/blog/${busy.slug}?comments=9`)).length, 1, 'the last one');
  });
});

describe('views and shares', () => {
  const viewsOf = async (of: string): Promise<number> => {
    const { body } = await site.service.call<{ viewCount: number; shareCount: number }>('GET', `/v1/blog/posts/${of}`, {
      token: site.editor.token,
    });
    return body.viewCount;
  };

  test('a view is counted once per visit and post, and the page itself counts nothing', async () => {
    const { slug: one } = await site.publish({ title: 'To be read' });
    const { slug: other } = await site.publish({ title: 'To be read too' });
    const visitor = site.visitor();
    const page = await visitor.get(`/blog/${one}`);
    assert.equal(await viewsOf(one), 0);
    const [pixel = ''] = page.values('img', 'src', { class: 'pixel' });
    const reply = await visitor.get(pixel);
    assert.deepEqual(
      [reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')],
      [200, 'image/gif', 'no-store'],
    );
    for (let i = 0; i < 3; i++) await visitor.get(pixel);
    assert.equal(await viewsOf(one), 1);
    await visitor.get(`/blog/-/views/${other}`);
    assert.deepEqual([await viewsOf(one), await viewsOf(other)], [1, 1]);
    await site.visitor().get(pixel);
    assert.equal(await viewsOf(one), 2, 'another visit');
  });

  test('a visit that has the old and the new address of a post is counted once', async () => {
    const { id, slug } = await site.publish({ title: 'To be moved' });
    const present = `${slug}-elsewhere`;
    const visitor = site.visitor();
    await visitor.get(`/blog/-/views/${slug}`);
    const { token } = site.editor;
    await site.service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token, body: { slug: present } });
    for (const address of [present, slug]) await visitor.get(`/blog/-/views/${address}`);
    assert.equal(await viewsOf(present), 1);
    await site.visitor().get(`/blog/-/views/${slug}`);
    assert.equal(await viewsOf(present), 2, 'another visit');
  });

  test('a post that is called as a list is counted like any other', async () => {
    const { slug } = await site.publish({ title: 'Category' });
    assert.equal(slug, 'category');
    const visitor = site.visitor();
    const page = await visitor.get('/blog/category');
    const [pixel = ''] = page.values('img', 'src', { class: 'pixel' });
    assert.equal((await visitor.get(pixel)).status, 200);
    assert.equal(await viewsOf(slug), 1);
  });

  test('robots, prefetches and pages elsewhere are no readers', async () => {
    const { slug: one } = await site.publish({ title: 'For nobody' });
    const others: Record<string, string>[] = [
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'curl/8.0' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of others) {
      const reply = await site.visitor().get(`/blog/-/views/${one}`, headers);
      assert.deepEqual([reply.status, reply.headers.getSetCookie()], [200, []]);
    }
    const head = { method: 'HEAD', headers: { 'user-agent': BROWSER } };
    assert.equal((await fetch(`${site.service.url}/blog/-/views/${one}`, head)).status, 200);
    assert.equal(await viewsOf(one), 0);
  });

  test('a share is counted for the channels that the page offers', async () => {
    const { slug: one } = await site.publish({ title: 'To be shared' });
    for (const channel of ['email', 'copy-link', 'nonsense'])
      assert.equal((await site.visitor().send(`/blog/${one}/share`, { channel })).status, 204);
    const { body } = await site.service.call<{ shareCount: number }>('GET', `/v1/blog/posts/${one}`, {
      token: site.editor.token,
    });
    assert.equal(body.shareCount, 2);
  });
});

test('too many tries from one address are an error page that says when to come back', async () => {
  const strict = await site.beside({ env: { RATE_LIMIT_ANONYMOUS: '3' } });
  const visitor = strict.visitor();
  const replies = [];
  for (let i = 0; i < 4; i++) replies.push(await visitor.get('/blog'));
  const last = replies.at(-1);
  assert.deepEqual([last?.status, last?.texts('h1')], [429, ['Too many requests']]);
  assert.ok(Number(last?.headers.get('retry-after')) > 0);
});
