import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import type { DeliveryJob } from '@posthorn/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { OfAccount } from '../account/account-name.tsx';
import { posthorn } from '../api/client.ts';
import { countedText, countText } from '../lib/format.ts';
import { jobShare } from '../lib/job-share.ts';
import { confirm } from '../ui/confirm.tsx';
import { Failure } from '../ui/failure.tsx';
import { MoreButton, useFailureOfMore } from '../ui/cursor-list.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { jobsQuery } from './dead-letter-queries.ts';
import { SteadyButton } from '../ui/steady-button.tsx';

/** Replays and discards of many, with their progress; nothing where there was none. What was read stays when it cannot be renewed. */
export function JobList({ accountId }: { accountId: string | undefined }) {
  const list = jobsQuery(accountId);
  const query = useInfiniteQuery(list);
  const jobs = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const ofMore = useFailureOfMore(query, list.queryKey);
  const failure = query.isError && query.error !== ofMore && (
    <Failure error={query.error} onRetry={() => void query.refetch()} />
  );
  if (jobs.length === 0) return failure || null;
  return (
    <Stack gap="xs">
      <Title order={2}>Jobs</Title>
      {failure}
      {jobs.map((job) => (
        <Job key={job.id} job={job} />
      ))}
      {ofMore && <Failure error={ofMore} />}
      <MoreButton query={query} more="Older jobs" all="No older jobs" />
    </Stack>
  );
}

function Job({ job }: { job: DeliveryJob }) {
  const { accountId, kind, state, done, total, totalIsExact, createdAt, reason, error } = job;
  const verb = kind === 'REPLAY' ? 'replayed' : 'discarded';
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <StatusBadge status={state} />
          <Text size="sm">
            {countText(done)} of {countedText(total, totalIsExact)} {verb}
          </Text>
          <Text size="sm" c="dimmed">
            begun <RelativeTime at={createdAt} />
          </Text>
        </Group>
        {state === 'RUNNING' && <CancelButton id={job.id} />}
      </Group>
      {state === 'RUNNING' && (
        <Progress
          value={jobShare(job)}
          mt="xs"
          animated
          aria-label={`${countText(done)} of ${countText(total)} ${verb}`}
        />
      )}
      <Details job={job} />
      {accountId !== null && <OfAccount id={accountId} />}
      {reason !== null && <Text size="sm">{reason}</Text>}
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </Paper>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  CHANGED: 'had changed meanwhile',
  ENDPOINT_DELETED: 'had no endpoint any more',
  EXPIRED: 'were past their retention',
  REPLAYED: 'had been replayed already',
  UNDER_WAY: 'were being sent',
};

/** What it is about, and what it left out. */
function Details({ job: { filter, endpointUrl, endpointIsDeleted, skipped, ratePerSecond } }: { job: DeliveryJob }) {
  const about = [
    filter.endpointId === undefined
      ? null
      : `${endpointIsDeleted ? 'deleted: ' : ''}${endpointUrl ?? `endpoint ${filter.endpointId}`}`,
    filter.errorClass ?? null,
    filter.event ?? null,
    filter.eventId === undefined ? null : `event ${filter.eventId}`,
    filter.tradeSessionId === undefined ? null : `trade ${filter.tradeSessionId}`,
    ratePerSecond === null ? null : `at most ${ratePerSecond} a second`,
    ...Object.entries(skipped).map(([why, n]) => `${countText(n)} ${REASONS[why] ?? why}`),
  ].filter((part) => part !== null);
  if (about.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {about.join(' · ')}
    </Text>
  );
}

function CancelButton({ id }: { id: string }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => posthorn.cancelReplay({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Cancel this job?',
      text: 'What it has done stays done; the rest is left as it is.',
      action: 'Cancel the job',
      keep: 'Let it run',
    });
    if (isSure) cancel.mutate();
  };
  return (
    <SteadyButton size="xs" variant="default" isBusy={cancel.isPending} onClick={() => void ask()}>
      Cancel
    </SteadyButton>
  );
}
