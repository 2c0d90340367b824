import { Autocomplete, Group, SimpleGrid, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { posthorn } from '../api/client.ts';
import { TriangleAlert } from '../ui/icons.ts';
import { CoverPicture } from './cover-picture.tsx';
import { type Fields, isPictureAddress } from './fields.ts';
import { SearchPreview } from './search-preview.tsx';
import { SlugField } from './slug-field.tsx';

interface DetailsTabProps {
  post: { id: string; slug: string | null };
  fields: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** Limits of the API (docs/blog.md). */
const TAGS_MAX = 10;
const TAG_LENGTH_MAX = 40;

/** Properties of a field for a text: it holds what the post has, in the direction of its language. */
const textOf = (name: TextField, fields: Fields, onChange: DetailsTabProps['onChange']) => ({
  attributes: { input: { dir: 'auto' } },
  value: fields[name],
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onChange({ [name]: event.currentTarget.value }),
});
type TextField = 'excerpt' | 'coverImageUrl' | 'coverImageAlt' | 'seoTitle' | 'seoDescription';

/** Everything of a post but its title and text. */
export function DetailsTab({ post, fields, onChange }: DetailsTabProps) {
  const { data: taxonomy } = useQuery({
    queryKey: ['taxonomy'],
    queryFn: ({ signal }) => posthorn.getTaxonomy({}, { signal }),
    staleTime: 60_000,
  });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <Stack>
        <SlugField postId={post.id} value={fields.slug} title={fields.title} onChange={(slug) => onChange({ slug })} />
        <Autocomplete
          label="Category"
          description="One for each post; needed to publish"
          data={taxonomy?.categories.map((c) => c.name) ?? []}
          value={fields.category}
          onChange={(category) => onChange({ category })}
          limit={20}
          maxLength={60}
        />
        <TagsInput
          label="Tags"
          description={`Up to ${TAGS_MAX}; Enter or a comma ends one`}
          data={taxonomy?.tags.map((t) => t.name) ?? []}
          value={fields.tags}
          onChange={(tags) => onChange({ tags: tags.map((tag) => tag.slice(0, TAG_LENGTH_MAX)) })}
          maxTags={TAGS_MAX}
          limit={20}
          splitChars={[',']}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove all tags' }}
        />
        <Textarea
          label="Excerpt"
          description="In lists and feeds. Empty: the beginning of the text"
          {...textOf('excerpt', fields, onChange)}
          autosize
          minRows={2}
          maxLength={500}
        />
        <Switch
          label="Featured"
          description="Stands out on the front page"
          checked={fields.featured}
          onChange={(event) => onChange({ featured: event.currentTarget.checked })}
        />
      </Stack>
      <Stack>
        <Cover fields={fields} onChange={onChange} />
        <TextInput
          label="Search title"
          description="Empty: the title"
          {...textOf('seoTitle', fields, onChange)}
          maxLength={200}
        />
        <Textarea
          label="Search description"
          description="Empty: the excerpt"
          {...textOf('seoDescription', fields, onChange)}
          autosize
          minRows={2}
          maxLength={500}
        />
        <SearchPreview post={post} fields={fields} />
      </Stack>
    </SimpleGrid>
  );
}

function Cover({ fields, onChange }: Pick<DetailsTabProps, 'fields' | 'onChange'>) {
  const { coverImageUrl: url, coverImageAlt: alt } = fields;
  return (
    <>
      <TextInput
        label="Cover image"
        description="Its address, http or https"
        type="url"
        {...textOf('coverImageUrl', fields, onChange)}
        error={url !== '' && !isPictureAddress(url) ? 'This is no address of a picture.' : undefined}
        maxLength={2000}
      />
      <CoverPicture url={url} alt={alt} />
      <TextInput
        label="Cover description"
        description={
          <>
            What it shows, for who does not see it
            {url !== '' && alt.trim() === '' && (
              <Group component="span" gap={4} wrap="nowrap">
                <TriangleAlert size={14} aria-hidden color="var(--mantine-color-yellow-6)" />
                You may want to describe the picture in a few words.
              </Group>
            )}
          </>
        }
        {...textOf('coverImageAlt', fields, onChange)}
        maxLength={300}
      />
    </>
  );
}
