import type { BenchService } from './processes.ts';

/** 1,000 posts of 4 kB by one author. */
export async function fillPosts(s: BenchService): Promise<void> {
  const password = 'bench-editor-password';
  await s.call(
    'POST',
    '/v1/admin/users',
    { email: 'editor@bench.example', name: 'Editor', password, blogRole: 'EDITOR' },
    s.operator,
  );
  const { accessToken } = await s.call<{ accessToken: string }>('POST', '/v1/auth/sign-in', {
    email: 'editor@bench.example',
    password,
  });
  const body = 'A sentence of a post, with some **Markdown** in it and a [link](https://example.com).\n\n'.repeat(48);
  for (let i = 0; i < 1000; i += 50) {
    const posts = Array.from({ length: 50 }, (_, j) => ({
      source: `bench/${i + j}.md`,
      title: `Post number ${i + j}`,
      body,
      category: `Category ${j % 7}`,
      tags: [`tag-${j % 5}`, 'all'],
      author: 'A. Writer',
      publishedAt: new Date(Date.UTC(2025, 0, 1) + (i + j) * 3_600_000).toISOString(),
    }));
    await s.call('POST', '/v1/blog/manage/import', { posts }, accessToken);
  }
}
