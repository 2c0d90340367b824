import { Alert, Fieldset, List, Radio, Select, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { notifyDone } from '../api/notices.tsx';
import { relativeText } from '../lib/time.ts';
import { allZones, instantOf, isZoneOf, ownZone, wallTime, zoneText } from '../lib/zones.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Failure } from '../ui/failure.tsx';
import { FormModal } from '../ui/form-modal.tsx';
import { TriangleAlert } from '../ui/icons.ts';
import { useNow } from '../ui/relative-time.tsx';
import { FIELD_NAMES, type Fields } from './fields.ts';
import type { UsedDraft } from './use-draft.ts';

interface PublishDialogProps {
  post: ManagedPost;
  isOpen: boolean;
  onClose: () => void;
  act: UsedDraft['act'];
}

/** "2026-11-22 09:30 in Europe/Berlin (CET)". */
const zonedText = (at: Date, zone: string): string =>
  `${wallTime(at, zone).replace('T', ' ')} in ${zoneText(at, zone)}`;

const HOUR_MS = 3_600_000;

/** The next full hour: a time that is not over when the form is sent. */
const nextHour = (): Date => new Date(Math.ceil((serverNow() + HOUR_MS / 4) / HOUR_MS) * HOUR_MS);

/** Checks the post, then publishes it now or at a time. Everything is saved before it opens. */
export function PublishDialog(form: PublishDialogProps) {
  const { post, isOpen, onClose } = form;
  const title = post.status === 'SCHEDULED' ? 'Change the schedule' : 'Publish';
  return (
    <FormModal opened={isOpen} onClose={onClose} title={title} size="lg">
      <PublishForm {...form} />
    </FormModal>
  );
}

function PublishForm({ post, isOpen, onClose, act }: PublishDialogProps) {
  const isScheduled = post.status === 'SCHEDULED';
  const [when, setWhen] = useState<'now' | 'at'>(isScheduled ? 'at' : 'now');
  const [begun] = useState(() => (isScheduled && post.publishedAt ? new Date(post.publishedAt) : nextHour()));
  const [time, setTime] = useState<ZonedTime>(() => ({ wall: wallTime(begun, ownZone()), zone: ownZone() }));
  const at = instantOf(time.wall, time.zone, begun);
  const now = useNow();
  const isPast = when === 'at' && at !== null && at.getTime() <= now;
  const checks = useQuery({
    queryKey: ['checks', post.id, post.version],
    queryFn: ({ signal }) => posthorn.checkPost({ id: post.id }, { signal }),
  });
  const isShown = useRef(isOpen);
  useEffect(() => {
    isShown.current = isOpen;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  const publish = useMutation({
    meta: {
      // The dialog tells of a failure while it is there; it may be closed before the reply comes.
      get silent() {
        return isShown.current;
      },
    },
    mutationFn: () => {
      const body = when === 'at' && at ? { at: at.toISOString() } : {};
      return act((version) => posthorn.publishPost({ id: post.id, ifMatch: version, body }));
    },
    onSuccess(published) {
      const { status, publishedAt } = published;
      const isLater = status === 'SCHEDULED' && publishedAt !== null;
      notifyDone(isLater ? `Scheduled for ${zonedText(new Date(publishedAt), time.zone)}.` : 'Published.');
      onClose();
    },
  });
  return (
    <DialogForm
      action={when === 'now' ? 'Publish now' : isPast ? 'Publish with this date' : 'Schedule'}
      isBusy={publish.isPending}
      error={publish.error}
      isDisabled={checks.data?.ready !== true || (when === 'at' && at === null)}
      onSubmit={() => publish.mutate()}
      onCancel={onClose}
    >
      {checks.isPending && <Skeleton height={60} />}
      {checks.isError && <Failure error={checks.error} onRetry={() => void checks.refetch()} />}
      {checks.data && <Problems problems={checks.data.problems} />}
      <Radio.Group label="When" value={when} onChange={(value) => setWhen(value)}>
        <Stack gap="xs" mt={4}>
          <Radio value="now" label="Now" />
          <Radio value="at" label="At a time" />
        </Stack>
      </Radio.Group>
      {/* Out of sight, not away: what was typed there comes again with "At a time", and is asked for before it is forgotten. Disabled
          too: a date that is typed in part would hold the form back, and nobody would see why. */}
      <Fieldset variant="unstyled" hidden={when === 'now'} disabled={when === 'now'}>
        <TimeFields time={time} at={at} now={now} isPast={isPast} onChange={setTime} />
      </Fieldset>
    </DialogForm>
  );
}

interface ZonedTime {
  /** As the clocks of the zone show it. */
  wall: string;
  zone: string;
}

interface TimeFieldsProps {
  time: ZonedTime;
  /** The same; null while it is no time. */
  at: Date | null;
  /** Milliseconds. */
  now: number;
  isPast: boolean;
  onChange: (time: ZonedTime) => void;
}

/** A date and time of a time zone: the writer's own, unless another one is chosen. */
function TimeFields({ time, at, now, isPast, onChange }: TimeFieldsProps) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          type="datetime-local"
          label="Date and time"
          value={time.wall}
          onChange={(event) => onChange({ ...time, wall: event.currentTarget.value })}
          error={at ? undefined : 'Choose a date and a time.'}
        />
        <Select
          label="Time zone"
          data={allZones()}
          value={time.zone}
          onChange={(zone) => onChange({ ...time, zone: zone ?? time.zone })}
          allowDeselect={false}
          searchable
          filter={({ options, search }) => options.filter((one) => 'value' in one && isZoneOf(one.value, search))}
          nothingFoundMessage="No such time zone"
        />
      </SimpleGrid>
      {at && (
        <Text size="sm" component="output">
          {isPast && 'This is past: the post is published at once, with this date. '}
          That is {zonedText(at, time.zone)}
          {wallTime(at, 'UTC') !== time.wall && `, ${wallTime(at, 'UTC').replace('T', ' ')} UTC`},{' '}
          {relativeText(at.getTime(), now)}.
        </Text>
      )}
    </Stack>
  );
}

interface Checks {
  problems: { severity: 'ERROR' | 'WARNING'; message: string; path: string; line?: number }[];
}

/** "Category is needed …": some sentences of the service begin with what follows the field's name. */
const sentence = ({ path, message }: Checks['problems'][number]): string =>
  /^[a-z]/.test(message) ? `${FIELD_NAMES[path as keyof Fields] ?? path} ${message}` : message;

/** What keeps the post from being published, and apart from that what is only advice. */
function Problems({ problems }: Checks) {
  if (problems.length === 0) return <Text size="sm">The checks found nothing to mend.</Text>;
  const of = (severity: Checks['problems'][number]['severity']) => problems.filter((p) => p.severity === severity);
  return (
    <>
      <ProblemGroup color="red" title="This is missing" problems={of('ERROR')} />
      <ProblemGroup color="yellow" title="You may want to mend this" problems={of('WARNING')} />
    </>
  );
}

function ProblemGroup({ color, title, problems }: { color: 'red' | 'yellow'; title: string } & Checks) {
  if (problems.length === 0) return null;
  return (
    <Alert color={color} icon={<TriangleAlert aria-hidden />} title={title}>
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
