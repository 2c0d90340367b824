import { Anchor, Text, TextInput } from '@mantine/core';
import { slugVerdict } from './slug-verdict.ts';
import { useSlugReply } from './use-slug-reply.ts';

interface SlugFieldProps {
  postId: string;
  value: string;
  /** Gives a slug to a post that has none yet. */
  title: string;
  onChange: (slug: string) => void;
}

/** The address of a post: says while it is written whether it is free, and which one near it is. */
export function SlugField({ postId, value, title, onChange }: SlugFieldProps) {
  const data = useSlugReply(postId, value, title);
  const suggestion = data?.suggestion ?? '';
  const { fault, isFree } = slugVerdict(value.trim(), data);
  return (
    <TextInput
      label="Slug"
      description="The last part of the post’s address. Old ones keep leading to the post."
      value={value}
      maxLength={120}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={
        fault !== null && (
          <>
            {fault}{' '}
            {suggestion !== '' && data?.slug === value.trim() && (
              <Anchor component="button" type="button" size="xs" onClick={() => onChange(suggestion)}>
                Take “{suggestion}”
              </Anchor>
            )}
          </>
        )
      }
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      rightSectionWidth={90}
      rightSection={
        isFree ? (
          <Text size="xs" c="dimmed">
            free
          </Text>
        ) : undefined
      }
      placeholder={value === '' && suggestion !== '' ? suggestion : 'made of the title'}
    />
  );
}
