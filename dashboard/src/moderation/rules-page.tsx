import { Button, Group, NumberInput, Skeleton, Stack, Switch, Text, Textarea } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

type Settings = Operations['getCommentSettings']['reply'];

const KEY = ['comment-settings'];

/** What holds comments back by itself. */
export function RulesPage() {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => posthorn.getCommentSettings({}, { signal }),
  });
  return (
    <Page
      title="Comment rules"
      text="What these rules hold waits, hidden, for a moderator. They act on the next comment."
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data ? <Rules key={data.updatedAt} settings={data} /> : !error && <Skeleton height={300} />}
    </Page>
  );
}

const linesOf = (text: string): string[] => [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);

function Rules({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState({ ...settings, words: settings.blockedWords.join('\n') });
  const save = useMutation({
    mutationFn: () => {
      const { preModeration, maxLinks, repeatSeconds, words } = draft;
      const body = { preModeration, maxLinks, repeatSeconds, blockedWords: linesOf(words) };
      return posthorn.updateCommentSettings({ body });
    },
    onSuccess(saved) {
      queryClient.setQueryData(KEY, saved);
      notifyDone('The rules are saved.');
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack maw={560}>
        <Switch
          label="Every comment waits for a moderator"
          checked={draft.preModeration}
          onChange={(event) => setDraft({ ...draft, preModeration: event.currentTarget.checked })}
        />
        <NumberInput
          label="Most links"
          description="A comment with more is held"
          min={0}
          max={1000}
          allowDecimal={false}
          value={draft.maxLinks}
          onChange={(value) => setDraft({ ...draft, maxLinks: Number(value) })}
        />
        <NumberInput
          label="Repeats"
          description="The same text of the same author is held for so many seconds; 0: never"
          min={0}
          max={2_592_000}
          allowDecimal={false}
          value={draft.repeatSeconds}
          onChange={(value) => setDraft({ ...draft, repeatSeconds: Number(value) })}
        />
        <Textarea
          label="Blocked words"
          description="A word or phrase on each line. Case, accents and spacing make no difference; * at an end matches inside of words too"
          autosize
          minRows={4}
          maxRows={16}
          value={draft.words}
          onChange={(event) => setDraft({ ...draft, words: event.currentTarget.value })}
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          {settings.updatedBy && (
            <Text size="sm" c="dimmed">
              Last changed by {settings.updatedBy.name} <RelativeTime at={settings.updatedAt} />
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
