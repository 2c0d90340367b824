import { Alert, Button, Group, NumberInput, Skeleton, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { useAskBeforeLeaving } from '../ui/leaving.ts';
import { confirm } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import {
  afterSaving,
  changesOf,
  type Fields,
  isOvertaken,
  NOTHING_TYPED,
  type RulesDraft,
  type Settings,
  shownFields,
  withTyped,
} from './rules-draft.ts';
import { SteadyButton } from '../ui/steady-button.tsx';

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
      {data ? <Rules settings={data} /> : !error && <Skeleton height={300} />}
    </Page>
  );
}

/** Rules that are typed and not saved are left only on purpose. */
function useAskBeforeForgetting(isDirty: boolean): void {
  useAskBeforeLeaving({
    holds: () => isDirty,
    ask: () => confirm({ title: 'Leave without saving?', text: 'What you typed is forgotten.', action: 'Leave' }),
    links: true,
  });
}

function Rules({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<RulesDraft>(NOTHING_TYPED);
  const fields = shownFields(settings, draft);
  const isDirty = Object.keys(changesOf(settings, draft)).length > 0;
  useAskBeforeForgetting(isDirty);
  const set = (change: Partial<Fields>): void => setDraft((before) => withTyped(before, settings, change));
  const save = useMutation({
    mutationFn: (sent: RulesDraft) => posthorn.updateCommentSettings({ body: changesOf(settings, sent) }),
    onSuccess(saved, sent) {
      queryClient.setQueryData(KEY, saved);
      setDraft((now) => afterSaving(now, sent, saved));
      notifyDone('The rules are saved.');
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <Stack maw={560}>
        {isOvertaken(settings, draft) && (
          <Overtaken by={settings.updatedBy?.name} onTheirs={() => setDraft(NOTHING_TYPED)} />
        )}
        <RuleFields fields={fields} onChange={set} />
        <Group>
          <SteadyButton type="submit" isBusy={save.isPending} isOff={!isDirty}>
            Save
          </SteadyButton>
          {settings.updatedBy && (
            <Text size="sm" c="dimmed">
              Last changed by <bdi>{settings.updatedBy.name}</bdi> <RelativeTime at={settings.updatedAt} />
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Overtaken({ by, onTheirs }: { by: string | undefined; onTheirs: () => void }) {
  return (
    <Alert color="yellow" title={`${by ?? 'Somebody'} has changed what you are changing`}>
      <Text size="sm">Saving puts yours in its place.</Text>
      <Button mt="xs" size="xs" variant="default" onClick={onTheirs}>
        Forget mine and show theirs
      </Button>
    </Alert>
  );
}

function RuleFields({ fields, onChange }: { fields: Fields; onChange: (change: Partial<Fields>) => void }) {
  return (
    <>
      <Switch
        label="Every comment waits for a moderator"
        checked={fields.preModeration}
        onChange={(event) => onChange({ preModeration: event.currentTarget.checked })}
      />
      <NumberInput
        label="Most links"
        description="A comment with more is held"
        min={0}
        max={1000}
        allowDecimal={false}
        required
        withAsterisk={false}
        value={fields.maxLinks}
        onChange={(value) => onChange({ maxLinks: value })}
      />
      <NumberInput
        label="Repeats"
        description="The same text of the same author is held for so many seconds, a short word of thanks only on the same post; 0: never"
        min={0}
        max={2_592_000}
        allowDecimal={false}
        required
        withAsterisk={false}
        value={fields.repeatSeconds}
        onChange={(value) => onChange({ repeatSeconds: value })}
      />
      <Textarea
        label="Blocked words"
        description="A word or phrase on each line. Case, accents and spacing make no difference; * at an end matches inside of words too"
        autosize
        minRows={4}
        maxRows={16}
        value={fields.words}
        onChange={(event) => onChange({ words: event.currentTarget.value })}
      />
    </>
  );
}
