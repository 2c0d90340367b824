import { Group, Paper, Stack, Text } from '@mantine/core';
import type { Fields } from './fields.ts';
import { slugAfterSave } from './slug-verdict.ts';
import { useRendered } from './use-rendered.ts';
import { useSlugReply } from './use-slug-reply.ts';

/** What search engines show of a title and of a description, about. Characters. */
const TITLE_SHOWN = 60;
const DESCRIPTION_SHOWN = 160;

const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;

interface SearchPreviewProps {
  post: { id: string; slug: string | null };
  fields: Fields;
}

/** How the post may look among search results once it is saved, and how long its texts are against what is shown there. */
export function SearchPreview({ post, fields }: SearchPreviewProps) {
  const slug = slugAfterSave(fields.slug.trim(), post.slug ?? '', useSlugReply(post.id, fields.slug, fields.title));
  const written = fields.seoDescription.trim() || fields.excerpt.trim();
  // The text is written on another tab, so there is no typing to wait for.
  const rendered = useRendered('search', fields.body, written === '');
  const title = fields.seoTitle.trim() || fields.title || 'Untitled';
  const description = written || (rendered.data?.excerpt ?? '');
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        Among search results
      </Text>
      <Paper withBorder p="md">
        <Text size="xs" c="dimmed" truncate>
          {window.location.host} › {slug || '…'}
        </Text>
        <Text size="lg" c="var(--mantine-color-anchor)" lh={1.3} dir="auto">
          {clip(title, TITLE_SHOWN)}
        </Text>
        <Text size="sm" c="dimmed" dir="auto">
          {clip(description, DESCRIPTION_SHOWN)}
        </Text>
      </Paper>
      <Group gap="lg">
        <Length of="Title" length={title.length} most={TITLE_SHOWN} />
        <Length of="Description" length={description.length} most={DESCRIPTION_SHOWN} />
      </Group>
    </Stack>
  );
}

function Length({ of, length, most }: { of: string; length: number; most: number }) {
  return (
    <Text size="xs" c={length > most ? 'var(--mantine-color-error)' : 'dimmed'}>
      {of}: {length} of {most} characters{length > most ? ', will be cut' : ''}
    </Text>
  );
}
