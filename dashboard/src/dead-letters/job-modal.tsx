import { Alert, Checkbox, NumberInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { countedText, countText, plural } from '../lib/format.ts';
import { given } from '../lib/given.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Failure } from '../ui/failure.tsx';
import { type JobFilter, type JobKind, previewQuery } from './dead-letter-queries.ts';
import { OnItsWay } from '../ui/on-its-way.tsx';
import { FormModal } from '../ui/form-modal.tsx';

const USUAL_RATE = 50;
const MOST_A_SECOND = 1000;

export interface JobPlan {
  kind: JobKind;
  filter: JobFilter;
  accountId: string | undefined;
}

/** Tells how many dead letters a plan is about before it is begun. */
export function JobModal({ plan, onClose }: { plan: JobPlan | undefined; onClose: () => void }) {
  return (
    <FormModal
      opened={plan !== undefined}
      onClose={onClose}
      title={plan?.kind === 'DISCARD' ? 'Discard dead letters?' : 'Replay dead letters'}
    >
      {plan && <JobForm plan={plan} onClose={onClose} />}
    </FormModal>
  );
}

function useBegin(plan: JobPlan, onDone: () => void) {
  const queries = useQueryClient();
  const { kind, accountId } = plan;
  const whose = given({ accountId });
  const filter = { ...plan.filter, status: 'DEAD' } as const;
  return useMutation({
    meta: { silent: true },
    mutationFn: ({ reason, rate, skipReplayed }: { reason: string; rate: number; skipReplayed: boolean }) =>
      kind === 'DISCARD'
        ? posthorn.discardDeliveries({ ...whose, body: { filter, reason } })
        : posthorn.replayDeliveries({ ...whose, body: { filter, ratePerSecond: rate, skipReplayed } }),
    async onSuccess() {
      notifyDone(kind === 'DISCARD' ? 'The dead letters are being discarded.' : 'The replay has begun.');
      onDone();
      await queries.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}

function JobForm({ plan, onClose }: { plan: JobPlan; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [rate, setRate] = useState<number | string>(USUAL_RATE);
  const [skipReplayed, setSkipReplayed] = useState(true);
  const isReplay = plan.kind === 'REPLAY';
  const isRate = Number(rate) >= 1 && Number(rate) <= MOST_A_SECOND;
  const preview = useQuery(previewQuery(plan.accountId, plan.filter, isReplay && skipReplayed));
  const begin = useBegin(plan, onClose);
  return (
    <DialogForm
      action={isReplay ? 'Replay' : 'Discard'}
      destructive={!isReplay}
      isBusy={begin.isPending}
      error={begin.error}
      isDisabled={!preview.data || isNothing(preview.data) || (isReplay && !isRate)}
      onSubmit={() => begin.mutate({ reason: reason.trim(), rate: Number(rate), skipReplayed })}
      onCancel={onClose}
    >
      <Count query={preview} isReplay={isReplay} />
      {isReplay ? (
        <>
          <Checkbox
            label="Leave out what was replayed already and has arrived or is under way"
            checked={skipReplayed}
            onChange={(event) => setSkipReplayed(event.currentTarget.checked)}
          />
          <NumberInput
            label="Replays per second"
            description="A receiver that comes back should not be flooded."
            min={1}
            max={MOST_A_SECOND}
            allowDecimal={false}
            clampBehavior="none"
            required
            error={isRate ? undefined : `A number from 1 to ${countText(MOST_A_SECOND)}.`}
            value={rate}
            onChange={setRate}
          />
        </>
      ) : (
        <TextInput
          label="Reason"
          description="Kept with each of them."
          required
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  );
}

/** Where not all were looked at, what is left may be behind. */
const isNothing = (of: { count: number; countIsExact: boolean }): boolean => of.count === 0 && of.countIsExact;

type Preview = ReturnType<typeof useQuery<{ count: number; countIsExact: boolean; endpoints: unknown[] }>>;

function Count({ query, isReplay }: { query: Pick<Preview, 'data' | 'isError' | 'error'>; isReplay: boolean }) {
  if (query.isError) return <Failure error={query.error} />;
  if (!query.data) return <OnItsWay height={44} label="They are being counted" />;
  const { count, countIsExact, endpoints } = query.data;
  if (isNothing(query.data)) {
    return (
      <Alert title="Nothing fits">
        {isReplay
          ? 'There is no dead letter of this kind that is to be replayed.'
          : 'There is no dead letter of this kind any more.'}
      </Alert>
    );
  }
  return (
    <Alert
      color={isReplay ? undefined : 'red'}
      title={`${countedText(count, countIsExact)} ${count === 1 ? 'delivery' : 'deliveries'}`}
    >
      <Text size="sm">
        {isReplay
          ? `Each becomes a new delivery with five attempts, to ${plural(endpoints.length, 'endpoint')}.`
          : `They are ended, at ${plural(endpoints.length, 'endpoint')}. Single ones can still be replayed later.`}
      </Text>
    </Alert>
  );
}
