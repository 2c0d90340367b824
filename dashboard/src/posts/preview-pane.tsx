import { Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { plural } from '../lib/format.ts';
import { Failure } from '../ui/failure.tsx';
import classes from './preview-pane.module.css';
import { useRendered } from './use-rendered.ts';

/** Typing rests this long before the preview follows. Milliseconds. */
const REST_MS = 350;

/** A link in the preview opens beside the editor, not in its place. */
function openBeside(event: Event): void {
  const link = (event.target as Element).closest('a');
  const href = link?.getAttribute('href') ?? '';
  if (!link || href.startsWith('#')) return;
  event.preventDefault();
  if (/^https?:/.test(link.href)) window.open(link.href, '_blank', 'noopener,noreferrer');
}

/**
 * While the preview stands. Its direction comes when its text is there: Chrome goes over all that stands in `dir="auto"` with
 * each piece that is put into it, which for a post of a million characters takes ten seconds.
 */
function begin(article: HTMLElement): () => void {
  article.dir = 'auto';
  article.addEventListener('click', openBeside);
  return () => article.removeEventListener('click', openBeside);
}

/** The text as readers will see it, rendered and cleaned by the service. */
export function PreviewPane({ body }: { body: string }) {
  const [rested] = useDebouncedValue(body, REST_MS);
  const { data, error, refetch } = useRendered('preview', rested);
  // Another element for each text, and the same while it stands: one that is kept would have its direction before its text.
  const [shown, setShown] = useState({ data, times: 0 });
  if (shown.data !== data) setShown({ data, times: shown.times + 1 });
  const isEmpty = !data?.bodyHtml;
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <section className={classes.frame} tabIndex={0} aria-label="Preview">
      {data === undefined ? (
        <Skeleton height={120} />
      ) : isEmpty ? (
        <Text c="dimmed">The preview appears here.</Text>
      ) : (
        // oxlint-disable-next-line react/no-danger -- what readers get: the service cleaned it, and the policy runs no script in it
        <article
          key={shown.times}
          ref={begin}
          className={classes.prose}
          dangerouslySetInnerHTML={{ __html: data.bodyHtml }}
        />
      )}
      {data && (
        <Text size="xs" c="dimmed" mt="md">
          {plural(data.words, 'word')}, {data.readingMinutes} min to read
        </Text>
      )}
    </section>
  );
}
