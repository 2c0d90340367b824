import { Alert, Button, Group, List, Modal, Radio, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { localInput, shortText, zoneText } from '../lib/time.ts';
import { Failure } from '../ui/failure.tsx';
import { TriangleAlert } from '../ui/icons.ts';
import { FIELD_NAMES, type Fields } from './fields.ts';

interface PublishDialogProps {
  post: ManagedPost;
  onClose: () => void;
  onPublished: (post: ManagedPost) => void;
}

const HOUR_MS = 3_600_000;

/** The next full hour: a time that is not over when the form is sent. */
const nextHour = (): string => localInput(new Date(Math.ceil((Date.now() + HOUR_MS / 4) / HOUR_MS) * HOUR_MS));

/** Checks the post, then publishes it now or at a time of this browser's zone. Everything is saved before it opens. */
export function PublishDialog({ post, onClose, onPublished }: PublishDialogProps) {
  const [when, setWhen] = useState<'now' | 'at'>(post.status === 'SCHEDULED' ? 'at' : 'now');
  const [local, setLocal] = useState(() =>
    post.status === 'SCHEDULED' && post.publishedAt ? localInput(new Date(post.publishedAt)) : nextHour(),
  );
  const at = new Date(local);
  const isTime = !Number.isNaN(at.getTime());
  const checks = useQuery({
    queryKey: ['checks', post.id, post.version],
    queryFn: ({ signal }) => posthorn.checkPost({ id: post.id }, { signal }),
  });
  const publish = useMutation({
    meta: { silent: true },
    mutationFn: () =>
      posthorn.publishPost({
        id: post.id,
        ifMatch: post.version,
        body: when === 'at' ? { at: at.toISOString() } : {},
      }),
    onSuccess(published) {
      notifyDone(published.status === 'SCHEDULED' ? `Scheduled for ${shortText(at)}.` : 'Published.');
      onPublished(published);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={post.status === 'SCHEDULED' ? 'Change the schedule' : 'Publish'} size="lg">
      <Stack>
        {checks.isPending && <Skeleton height={60} />}
        {checks.isError && <Failure error={checks.error} onRetry={() => void checks.refetch()} />}
        {checks.data && <Problems {...checks.data} />}
        <Radio.Group label="When" value={when} onChange={(value) => setWhen(value)}>
          <Stack gap="xs" mt={4}>
            <Radio value="now" label="Now" />
            <Radio value="at" label="At a time" />
          </Stack>
        </Radio.Group>
        {when === 'at' && (
          <TextInput
            type="datetime-local"
            label="Date and time"
            description={
              isTime ? `In ${zoneText(at)}, which is ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : undefined
            }
            value={local}
            onChange={(event) => setLocal(event.currentTarget.value)}
            error={isTime ? undefined : 'Choose a date and a time.'}
          />
        )}
        {publish.isError && <Failure error={publish.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={publish.isPending}
            disabled={checks.data?.ready !== true || (when === 'at' && !isTime)}
            onClick={() => publish.mutate()}
          >
            {when === 'now' ? 'Publish now' : 'Schedule'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface Checks {
  ready: boolean;
  problems: { severity: 'ERROR' | 'WARNING'; message: string; path: string; line?: number }[];
}

/** "Category is needed …": some sentences of the service begin with what follows the field's name. */
const sentence = ({ path, message }: Checks['problems'][number]): string =>
  /^[a-z]/.test(message) ? `${FIELD_NAMES[path as keyof Fields] ?? path} ${message}` : message;

function Problems({ ready, problems }: Checks) {
  if (problems.length === 0) return <Text size="sm">The checks found nothing to mend.</Text>;
  return (
    <Alert
      color={ready ? 'yellow' : 'red'}
      icon={<TriangleAlert aria-hidden />}
      title={ready ? 'You may want to mend this' : 'This is missing'}
    >
      <List size="sm">
        {problems.map((p) => (
          <List.Item key={`${p.path} ${p.line} ${p.message}`}>
            {sentence(p)}
            {p.line === undefined ? '' : ` (line ${p.line})`}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
